#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attend::cli {

/// Which of `options` the command line gives, in that order.
[[nodiscard]] std::vector<std::string> given_options(const CLI::App& command,
                                                     const std::vector<std::string>& options);

/// Throws UsageError if the command line gives any of `options`, which would have no effect: names
/// those, then says `why` (what they belong to and what to do).
void refuse_given(const CLI::App& command, const std::vector<std::string>& options,
                  const std::string& why);

}  // namespace attend::cli
