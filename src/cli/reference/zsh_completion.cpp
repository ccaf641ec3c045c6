#include <fmt/format.h>

#include "cli/reference/completion.h"
#include "core/closest_name.h"

namespace attend::cli {

namespace {

constexpr const char* kZshSettings = R"zsh(
# Completes KEY=VALUE.
_attend_settings() {
  if compset -P 1 '*='; then
    case ${${IPREFIX%=}##*=} in
VALUES      *) _message value ;;
    esac
  else
    compadd -S = -- $_attend_keys
  fi
}
)zsh";

constexpr const char* kZshMain = R"zsh(
_attend() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C PROGRAM'1:command:->command' '*::argument:->rest'
  case $state in
    command) _describe command _attend_commands ;;
    rest)
      case $words[1] in
        help) _describe command _attend_commands; compadd -- TOPICS ;;
COMMANDS      esac
      ;;
  esac
}

_attend "$@"
)zsh";

std::string with_replaced(std::string text, std::string_view from, const std::string& to) {
  const std::size_t at = text.find(from);
  return text.replace(at, from.size(), to);
}

std::string zsh_escaped(const std::string& text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const OptionEntry& option) {
  switch (option.kind) {
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kChoice:
      return "(" + join(option.choices, " ") + ")";
    case ValueKind::kSetting:
      return "_attend_settings";
    case ValueKind::kText:
    case ValueKind::kNothing:
      break;
  }
  return " ";
}

/// The specifications for `_arguments`: one for each name of an option, or one for an argument.
std::string zsh_specifications(const OptionEntry& option) {
  const std::string value = zsh_escaped(option.value, ":\\[]");
  if (option.names.empty()) {
    const std::string place = option.several ? "*" : "1";
    return shell_quoted(
        fmt::format("{}:{}:{}", place, zsh_escaped(option.argument, ":\\"), zsh_action(option)));
  }
  std::vector<std::string> all;
  for (const std::string& name : option.names) {
    std::string text = fmt::format("*{}[{}]", name, zsh_escaped(option.meaning, ":\\[]"));
    if (option.kind != ValueKind::kNothing)
      text += fmt::format("{}:{}:{}", option.several ? ":*-*" : "", value, zsh_action(option));
    all.push_back(shell_quoted(text));
  }
  return join(all, " ");
}

std::string zsh_command(const CommandEntry& command) {
  std::string text = fmt::format("        {}) _arguments -s :", command.name);
  for (const OptionEntry& option : command.options)
    text += " \\\n          " + zsh_specifications(option);
  return text + " ;;\n";
}

std::string zsh_key_values(const std::vector<KeyEntry>& keys) {
  std::string cases;
  for (const KeyEntry& key : keys) {
    if (!key.choices.empty())
      cases += fmt::format("      {}) compadd -- {} ;;\n", key.key, join(key.choices, " "));
  }
  return cases;
}

}  // namespace

std::string zsh_completion(const ProgramTable& table, const std::vector<KeyEntry>& keys) {
  std::string script =
      "#compdef attend\n# Completion of attend for zsh, written by: attend completion zsh\n\n";
  script += "typeset -ga _attend_commands=(\n  'help:Explain a command'\n";
  std::string commands;
  for (const CommandEntry& command : table.commands) {
    script += "  " + shell_quoted(command.name + ":" + zsh_escaped(command.meaning, ":\\")) + "\n";
    commands += zsh_command(command);
  }
  script += ")\ntypeset -ga _attend_keys=(";
  for (const KeyEntry& key : keys) script += " " + key.key;
  script += " )\n";
  script += with_replaced(kZshSettings, "VALUES", zsh_key_values(keys));
  std::string program;
  for (const OptionEntry& option : table.program.named())
    program += zsh_specifications(option) + " ";
  const std::string main = with_replaced(kZshMain, "TOPICS", join(table.topics, " "));
  return script + with_replaced(with_replaced(main, "COMMANDS", commands), "PROGRAM", program);
}

}  // namespace attend::cli
