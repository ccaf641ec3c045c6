#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attend::cli {

/// The `options` that occur on the command line, in the order of `options`.
[[nodiscard]] std::vector<std::string> given_options(const CLI::App& command,
                                                     const std::vector<std::string>& options);

/// Throws UsageError if the command line gives any of `options`: they would have no effect. The
/// message names them and adds `why`.
void refuse_given(const CLI::App& command, const std::vector<std::string>& options,
                  const std::string& why);

}  // namespace attend::cli
