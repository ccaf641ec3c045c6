#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend align`: word links of given sentence pairs by a model's attention, and the error rate of
/// links.
void add_align(CLI::App& command);

}  // namespace attend::cli
