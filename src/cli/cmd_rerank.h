#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend rerank`: the best translation of each n-best list.
void add_rerank(CLI::App& command);

}  // namespace attend::cli
