#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend score --model DIR --source F --target F`: log p(target | source) of each pair.
void add_score(CLI::App& command);

}  // namespace attend::cli
