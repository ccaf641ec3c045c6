#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend average`: averages the weights of several models, or of snapshots of one run.
void add_average(CLI::App& command);

}  // namespace attend::cli
