#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend inspect DIR`: what a model directory holds: sizes, parameters by block, training history
/// and config.
void add_inspect(CLI::App& command);

}  // namespace attend::cli
