#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend config [CONFIG.yaml] [--set key=value]...`: prints the resolved config, loadable again;
/// without a file every key with type, default, range, choices and meaning.
void add_config(CLI::App& command);

}  // namespace attend::cli
