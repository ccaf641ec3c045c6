#include <fmt/format.h>

#include "cli/reference/completion.h"
#include "core/closest_name.h"

namespace attend::cli {

namespace {

// The part of the script that does not depend on the tables.
constexpr const char* kBashFunctions = R"bash(
# _attend_reply WORD [SUFFIX]: offers those of $words that begin with WORD.
_attend_reply() {
  mapfile -t COMPREPLY < <(compgen -W "$words" -S "${2:-}" -- "$1")
}

# _attend_value WORD: offers values of the kind $kind.
_attend_value() {
  case $kind in
    choice) _attend_reply "$1" ;;
    setting)
      words=$_attend_keys
      _attend_reply "$1" =
      compopt -o nospace 2>/dev/null || true
      ;;
    file)
      mapfile -t COMPREPLY < <(compgen -f -- "$1")
      compopt -o filenames 2>/dev/null || true
      ;;
    folder)
      mapfile -t COMPREPLY < <(compgen -d -- "$1")
      compopt -o filenames 2>/dev/null || true
      ;;
  esac
  return 0
}

_attend() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} words='' kind='' several=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words="$_attend_commands $_attend_program_options"
    _attend_reply "$word"
    return
  fi
  # Bash makes "=" a word of its own: --level=word, --set KEY=VALUE, --feature NAME=FILE.
  local -a before=("${COMP_WORDS[@]:2:COMP_CWORD-2}")
  local left='' last=$((COMP_CWORD - 3))
  if [[ $word == = ]] && ((last >= 0)); then
    word='' left=${before[last]}
  elif ((last >= 1)) && [[ ${before[last]} == = ]]; then
    left=${before[last - 1]}
    last=$((last - 1))
  fi
  if [[ $left == --* ]]; then
    _attend_kind "$command" "$left"
    _attend_value "$word"
    return
  elif [[ -n $left ]]; then
    ((last >= 1)) && _attend_kind "$command" "${before[last - 1]}"
    if [[ $kind == setting ]]; then
      _attend_key_choices "$left"
      _attend_reply "$word"
    else
      _attend_value "$word"
    fi
    return
  fi
  if [[ $word == -* ]]; then
    _attend_options "$command"
    _attend_reply "$word"
    return
  fi
  # The nearest option before the word takes it, if it is next to it or takes several values.
  local at=$last
  while ((at >= 0)) && [[ ${before[at]} != --* ]]; do at=$((at - 1)); done
  if ((at >= 0)); then
    _attend_kind "$command" "${before[at]}"
    ((at == last)) || [[ -n $several ]] || kind=''
  fi
  if [[ -z $kind ]]; then
    words=''
    _attend_kind "$command" ''
  fi
  _attend_value "$word"
}
complete -F _attend attend
)bash";

std::string_view bash_kind(ValueKind kind) {
  switch (kind) {
    case ValueKind::kText:
      return "text";
    case ValueKind::kFile:
      return "file";
    case ValueKind::kFolder:
      return "folder";
    case ValueKind::kChoice:
      return "choice";
    case ValueKind::kSetting:
      return "setting";
    case ValueKind::kNothing:
      break;
  }
  return "";
}

std::string bash_words(const std::vector<std::string>& words) {
  return shell_quoted(join(words, " "));
}

std::vector<std::string> names_of(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.named())
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string bash_option_cases(const ProgramTable& table) {
  std::string cases;
  for (const CommandEntry& command : table.commands)
    cases += fmt::format("    {}) words={} ;;\n", command.name, bash_words(names_of(command)));
  return cases;
}

/// Lists a pattern 'COMMAND OPTION' for each option, with the kind of its values; 'COMMAND ' is for
/// the arguments.
std::string bash_kind_cases(const CommandEntry& command) {
  std::string cases;
  for (const OptionEntry& option : command.options) {
    if (option.kind == ValueKind::kNothing) continue;
    const std::string name = option.names.empty() ? "" : option.names.back();
    cases += fmt::format("    {}) kind='{}'", shell_quoted(command.name + " " + name),
                         bash_kind(option.kind));
    if (!option.choices.empty()) cases += " words=" + bash_words(option.choices);
    if (option.several) cases += " several=1";
    cases += " ;;\n";
  }
  return cases;
}

std::string bash_key_cases(const std::vector<KeyEntry>& keys) {
  std::string cases;
  for (const KeyEntry& key : keys) {
    if (!key.choices.empty())
      cases += fmt::format("    {}) words={} ;;\n", key.key, bash_words(key.choices));
  }
  return cases;
}

}  // namespace

std::string bash_completion(const ProgramTable& table, const std::vector<KeyEntry>& keys) {
  std::vector<std::string> commands = {"help"};
  for (const CommandEntry& command : table.commands) commands.push_back(command.name);
  std::vector<std::string> key_names;
  for (const KeyEntry& key : keys) key_names.push_back(key.key);

  std::string script =
      "# Completion of attend for bash, written by: attend completion bash\n"
      "# shellcheck shell=bash\n";
  script += fmt::format("_attend_commands={}\n", bash_words(commands));
  script += fmt::format("_attend_program_options={}\n", bash_words(names_of(table.program)));
  script += fmt::format("_attend_keys={}\n", bash_words(key_names));
  script += "\n# _attend_options COMMAND: sets $words to the options of a command.\n";
  script += "_attend_options() {\n  case $1 in\n" + bash_option_cases(table) + "  esac\n}\n";
  script +=
      "\n# _attend_kind COMMAND OPTION: sets $kind to the kind of the option's values, $words to "
      "its "
      "choices,\n# and $several if it takes several. OPTION is empty for the arguments.\n";
  script += "_attend_kind() {\n  case \"$1 $2\" in\n";
  for (const CommandEntry& command : table.commands) script += bash_kind_cases(command);
  script +=
      fmt::format("    'help ') kind='choice' words=\"$_attend_commands {}\" ;;\n  esac\n}}\n",
                  join(table.topics, " "));
  script += "\n# _attend_key_choices KEY: sets $words to the values of a config key.\n";
  script += "_attend_key_choices() {\n  case $1 in\n" + bash_key_cases(keys) + "  esac\n}\n";
  return script + kBashFunctions;
}

}  // namespace attend::cli
