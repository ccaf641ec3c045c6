#include <fmt/format.h>

#include "cli/reference/completion.h"
#include "core/closest_name.h"

namespace attend::cli {

namespace {

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// What to offer for the values of an option.
std::string fish_values(const OptionEntry& option) {
  switch (option.kind) {
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kChoice:
      return " -x -a " + fish_quoted(join(option.choices, " "));
    case ValueKind::kSetting:
      return " -x -a '(__attend_settings)'";
    case ValueKind::kText:
      return " -x";
    case ValueKind::kNothing:
      break;
  }
  return "";
}

std::string fish_names(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return names;
}

std::string fish_option(const std::string& condition, const OptionEntry& option) {
  std::string values = fish_values(option);
  // An argument is no value of an option, so it needs no -r and no -x.
  if (option.names.empty() && values.size() > 3) values.erase(0, 3);
  return fmt::format("complete -c attend -n {}{}{}{}\n", fish_quoted(condition), fish_names(option),
                     values, option.names.empty() ? "" : " -d " + fish_quoted(option.meaning));
}

std::string fish_settings(const std::vector<KeyEntry>& keys) {
  std::string text = "# The config keys, with their values where these are limited.\n";
  text += "function __attend_settings\n  printf '%s\\n'";
  for (const KeyEntry& key : keys) {
    text += " " + key.key + "=";
    for (const std::string& choice : key.choices) text += " " + key.key + "=" + choice;
  }
  return text + "\nend\n\n";
}

}  // namespace

std::string fish_completion(const ProgramTable& table, const std::vector<KeyEntry>& keys) {
  std::string script = "# Completion of attend for fish, written by: attend completion fish\n\n";
  script += fish_settings(keys);
  script += "complete -c attend -f\n";
  for (const OptionEntry& option : table.program.named())
    script += fish_option("__fish_use_subcommand", option);
  script += "complete -c attend -n __fish_use_subcommand -a help -d 'Explain a command'\n";
  std::vector<std::string> names;
  for (const CommandEntry& command : table.commands) {
    names.push_back(command.name);
    script += fmt::format("complete -c attend -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          fish_quoted(command.meaning));
  }
  script += fmt::format("complete -c attend -n '__fish_seen_subcommand_from help' -a {}\n",
                        fish_quoted(join(names, " ") + " " + join(table.topics, " ")));
  for (const CommandEntry& command : table.commands) {
    script += "\n";
    for (const OptionEntry& option : command.options) {
      const bool is_free = option.names.empty() && option.kind == ValueKind::kText;
      if (!is_free) script += fish_option("__fish_seen_subcommand_from " + command.name, option);
    }
  }
  return script;
}

}  // namespace attend::cli
