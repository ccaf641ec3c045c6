#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend merge`: the shards of a translation put together.
void add_merge(CLI::App& command);

}  // namespace attend::cli
