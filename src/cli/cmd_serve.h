#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// Defines `attend serve`.
void add_serve(CLI::App& command);

}  // namespace attend::cli
