#include "cli/reference/program_table.h"

#include <algorithm>
#include <iterator>

#include "app/config/experiment.h"
#include "cli/common_options.h"
#include "cli/help/topics.h"
#include "config/section.h"

namespace attend::cli {

namespace {

std::string value_text(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string& text = option.get_option_text();
  return text.empty() ? option.get_type_name() : text;
}

ValueKind kind_of(const OptionEntry& option) {
  const auto value_has = [&](const char* word) {
    return option.value.find(word) != std::string::npos;
  };
  if (option.value.empty()) return ValueKind::kNothing;
  if (!option.choices.empty()) return ValueKind::kChoice;
  if (value_has("KEY=VALUE")) return ValueKind::kSetting;
  if (value_has("DIR")) return ValueKind::kFolder;
  const bool is_file = value_has("FILE") || value_has("REFERENCE") ||
                       option.meaning.find("FILE") != std::string::npos;
  return is_file ? ValueKind::kFile : ValueKind::kText;
}

OptionEntry entry_of(CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  // get_name() is empty for an option of an empty group.
  if (entry.names.empty()) entry.argument = option.get_name(true);
  entry.value = value_text(option);
  entry.meaning = option.get_description();
  entry.group = option.get_group();
  entry.choices = choices_of(option);
  entry.several = option.get_items_expected_max() > 1 && option.get_allow_extra_args();
  entry.required = option.get_required();
  entry.kind = kind_of(entry);
  return entry;
}

CommandEntry entry_of(CLI::App& command) {
  CommandEntry entry{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (CLI::Option* option : command.get_options(std::function<bool(CLI::Option*)>()))
    entry.options.push_back(entry_of(*option));
  return entry;
}

std::vector<OptionEntry> filtered(const std::vector<OptionEntry>& options, bool named) {
  std::vector<OptionEntry> kept;
  std::ranges::copy_if(options, std::back_inserter(kept),
                       [&](const OptionEntry& option) { return option.names.empty() != named; });
  return kept;
}

/// The words of "one of a, b, c" and "true or false".
std::vector<std::string> words_of(const std::string& expected) {
  constexpr std::string_view kOneOf = "one of ";
  if (expected == "true or false") return {"true", "false"};
  if (!expected.starts_with(kOneOf) || expected.find(" or ") != std::string::npos) return {};
  std::vector<std::string> words = CLI::detail::split(expected.substr(kOneOf.size()), ',');
  for (std::string& word : words) CLI::detail::trim(word);
  return words;
}

void add_keys(const std::vector<config::KeyInfo>& keys, const std::string& section,
              std::vector<KeyEntry>& found) {
  for (const config::KeyInfo& info : keys) {
    const std::string key = config::dotted(section, info.name);
    const bool is_new = std::ranges::find(found, key, &KeyEntry::key) == found.end();
    if (info.kind != config::KeyInfo::Kind::kSection && is_new)
      found.push_back({key, words_of(info.expected)});
    add_keys(info.keys, key, found);
  }
}

}  // namespace

std::vector<OptionEntry> CommandEntry::named() const {
  return filtered(options, true);
}

std::vector<OptionEntry> CommandEntry::positional() const {
  return filtered(options, false);
}

ProgramTable program_table(CLI::App& program) {
  ProgramTable table{entry_of(program), {}, {}};
  for (CLI::App* command : program.get_subcommands(std::function<bool(CLI::App*)>()))
    table.commands.push_back(entry_of(*command));
  for (const Topic& topic : topics()) {
    const bool is_command =
        std::ranges::find(table.commands, topic.name, &CommandEntry::name) != table.commands.end();
    if (!is_command) table.topics.emplace_back(topic.name);
  }
  return table;
}

std::vector<KeyEntry> config_keys() {
  std::vector<KeyEntry> found;
  add_keys(config::schema_of<app::Experiment>().keys(), "", found);
  return found;
}

}  // namespace attend::cli
