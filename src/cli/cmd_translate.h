#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend translate --model DIR`: translates lines from standard input or a file.
void add_translate(CLI::App& command);

}  // namespace attend::cli
