#pragma once
#include <CLI/CLI.hpp>
#include <span>

namespace attend::cli {

/// One command of the program. A new one is a pair of files cmd_<name>.{h,cpp} and a line in the
/// table in commands.cpp.
struct Command {
  const char* name;
  const char* meaning;  ///< one line for `attend --help`
  /// Adds options and an example to the command's parser and sets its callback, which does the
  /// work.
  void (*add)(CLI::App& command);
};

/// All commands, in the order of the help text.
[[nodiscard]] std::span<const Command> commands();

/// Adds all commands to the program's parser.
void add_commands(CLI::App& app);

}  // namespace attend::cli
