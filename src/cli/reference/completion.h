#pragma once
#include <string>
#include <vector>

#include "cli/reference/program_table.h"

namespace attend::cli {

/// The shells that completion() knows.
[[nodiscard]] std::vector<std::string> shell_names();

/// A script that makes `shell` complete commands, options, choices, files, and config keys after
/// --set. Requires: `shell` is one of shell_names().
[[nodiscard]] std::string completion(const std::string& shell, const ProgramTable& table,
                                     const std::vector<KeyEntry>& keys);

// One for each shell.
[[nodiscard]] std::string bash_completion(const ProgramTable& table,
                                          const std::vector<KeyEntry>& keys);
[[nodiscard]] std::string fish_completion(const ProgramTable& table,
                                          const std::vector<KeyEntry>& keys);
[[nodiscard]] std::string zsh_completion(const ProgramTable& table,
                                         const std::vector<KeyEntry>& keys);

/// `text` as one word of a shell script: in single quotes.
[[nodiscard]] std::string shell_quoted(const std::string& text);

}  // namespace attend::cli
