#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attend::cli {

/// The values that an option takes, for completion.
enum class ValueKind { kNothing, kText, kFile, kFolder, kChoice, kSetting };

/// An option or a positional argument, as its command declares it.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-h", "--help"; empty for a positional argument
  std::string argument;            ///< name of a positional argument, otherwise empty
  std::string value;               ///< "N", "FILE ..."; empty if it takes none
  std::string meaning;
  std::string group;
  ValueKind kind = ValueKind::kNothing;
  std::vector<std::string> choices;  ///< of kChoice
  bool several = false;              ///< takes more than one value after one name
  bool required = false;
};

struct CommandEntry {
  std::string name;
  std::string meaning;
  std::string footer;  ///< examples
  std::vector<OptionEntry> options;

  [[nodiscard]] std::vector<OptionEntry> named() const;
  [[nodiscard]] std::vector<OptionEntry> positional() const;
};

/// The whole program: what the manual pages and the completions are made from.
struct ProgramTable {
  CommandEntry program;  ///< the options before a command; its meaning is the description
  std::vector<CommandEntry> commands;
  std::vector<std::string> topics;  ///< of `attend help`, without those that are commands too
};

/// Lists every option of every command of the parser, including those that the help leaves out.
[[nodiscard]] ProgramTable program_table(CLI::App& program);

/// A config key and the values it is limited to; no values if it is free.
struct KeyEntry {
  std::string key;  ///< dotted
  std::vector<std::string> choices;
};

/// All keys that `--set` takes, in the order of `attend config`.
[[nodiscard]] std::vector<KeyEntry> config_keys();

}  // namespace attend::cli
