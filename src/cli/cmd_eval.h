#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend eval`: scores hypotheses against references.
void add_eval(CLI::App& command);

}  // namespace attend::cli
