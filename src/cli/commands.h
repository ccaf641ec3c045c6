#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace attend::cli {

/// One command of the program. To add one, write cmd_<name>.cpp, declare its function below and add
/// a line to the table in commands.cpp.
struct Command {
  const char* name;
  const char* meaning;  ///< one line for `attend --help`
  /// Adds options and an example to the command's parser and sets the callback that does the work.
  void (*add)(CLI::App& command);
};

/// All commands, in the order of the help text.
[[nodiscard]] std::span<const Command> commands();

/// The names of all commands, in the same order.
[[nodiscard]] std::vector<std::string> command_names();

/// Adds all commands to the program's parser.
void add_commands(CLI::App& app);

// Each function is defined in cmd_<name>.cpp.
void add_align(CLI::App& command);
void add_average(CLI::App& command);
void add_completion(CLI::App& command);
void add_config(CLI::App& command);
void add_eval(CLI::App& command);
void add_explain(CLI::App& command);
void add_export(CLI::App& command);
void add_inspect(CLI::App& command);
void add_lexicon(CLI::App& command);
void add_man(CLI::App& command);
void add_merge(CLI::App& command);
void add_rerank(CLI::App& command);
void add_score(CLI::App& command);
void add_serve(CLI::App& command);
void add_train(CLI::App& command);
void add_translate(CLI::App& command);

}  // namespace attend::cli
