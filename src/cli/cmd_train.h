#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend train`: trains a model from a config.
void add_train(CLI::App& command);

}  // namespace attend::cli
