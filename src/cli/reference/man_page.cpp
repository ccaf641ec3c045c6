#include "cli/reference/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/common_options.h"
#include "core/closest_name.h"

namespace attend::cli {

namespace {

constexpr std::string_view kExitCodes = "Exit codes:";
constexpr std::string_view kExample = "Example:";

/// Escapes what troff would interpret. Hyphens stay hyphens, so that options can be copied.
std::string troff(const std::string& text) {
  std::string escaped;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) escaped += "\\&";
    at_line_start = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Breaks the text into lines of at most 60 characters, not counting escapes; troff joins them
/// again.
std::string filled(const std::string& text) {
  constexpr std::size_t kWidth = 60;
  std::istringstream stream(text);
  std::string lines;
  std::size_t width = 0;
  for (std::string word; stream >> word; width += word.size() + 1) {
    const bool fits = width + word.size() <= kWidth;
    if (!fits) width = 0;
    lines += (lines.empty() ? "" : fits ? " " : "\n") + word;
  }
  return lines;
}

std::string bold(const std::string& text) {
  return "\\fB" + troff(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + troff(text) + "\\fR";
}

std::string page_name(const std::string& command) {
  return command.empty() ? "attend" : "attend-" + command;
}

std::string page_top(const std::string& command, const std::string& meaning,
                     const PageOrigin& origin) {
  std::string title = page_name(command);
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return fmt::format(
      ".\\\" Written by: attend man{}\n.TH {} 1 {} \"{}\" \"attend manual\"\n"
      ".SH NAME\n{} \\- {}\n",
      command.empty() ? "" : " " + command, troff(title), origin.date, origin.version,
      troff(page_name(command)), troff(meaning));
}

/// The paragraph of `footer` that begins with `title`, without the title and on one line; empty if
/// there is none.
std::string footer_paragraph(const std::string& footer, std::string_view title) {
  const std::size_t begin = footer.find(title);
  if (begin == std::string::npos) return "";
  std::string text = footer.substr(begin + title.size());
  text = text.substr(0, text.find("\n\n"));
  std::ranges::replace(text, '\n', ' ');
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// The lines after "Example:", without their indent.
std::string example_lines(const std::string& footer) {
  const std::size_t begin = footer.find(kExample);
  if (begin == std::string::npos) return "";
  std::istringstream stream(footer.substr(begin + kExample.size()));
  std::string lines;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) lines += line.substr(first) + "\n";
  }
  return lines;
}

std::string examples_section(const std::string& footer) {
  const std::string lines = example_lines(footer);
  return lines.empty() ? "" : ".SH EXAMPLES\n.nf\n" + troff(lines) + ".fi\n";
}

/// The option's choices, unless its meaning names them all.
std::string choices_sentence(const OptionEntry& option) {
  const bool named = std::ranges::all_of(option.choices, [&](const std::string& choice) {
    return option.meaning.find(choice) != std::string::npos;
  });
  return named ? "" : fmt::format(". Choices: {}", join(option.choices));
}

std::string option_item(const OptionEntry& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  std::string head = names.empty() ? italic(option.argument) : join(names);
  if (!option.names.empty() && !option.value.empty()) head += " " + italic(option.value);
  // The meanings of options have no full stop; some of them have several sentences.
  const std::string meaning =
      option.meaning + choices_sentence(option) + (option.required ? " (required)" : "") + ".";
  return fmt::format(".TP\n{}\n{}\n", head, troff(filled(meaning)));
}

std::string group_name(const OptionEntry& option) {
  return option.group == kNotInHelp ? "Further options" : option.group;
}

/// The options by group, in the order in which the groups first appear.
std::string options_section(const CommandEntry& command) {
  std::vector<std::string> groups;
  for (const OptionEntry& option : command.named()) {
    const std::string group = group_name(option);
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  std::string text = ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (group != groups.front()) text += ".SS \"" + troff(group) + "\"\n";
    for (const OptionEntry& option : command.named()) {
      if (group_name(option) == group) text += option_item(option);
    }
  }
  return text;
}

std::string arguments_section(const CommandEntry& command) {
  const auto arguments = command.positional();
  if (arguments.empty()) return "";
  std::string text = ".SH ARGUMENTS\n";
  for (const OptionEntry& argument : arguments) text += option_item(argument);
  return text;
}

std::string command_synopsis(const CommandEntry& command) {
  std::string text =
      ".SH SYNOPSIS\n" + bold("attend " + command.name) + " [" + italic("OPTIONS") + "]";
  for (const OptionEntry& argument : command.positional()) {
    const std::string name = italic(argument.argument) + (argument.several ? " ..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string exit_section(const ProgramTable& table) {
  const std::string codes = footer_paragraph(table.program.footer, kExitCodes);
  return codes.empty() ? "" : ".SH \"EXIT STATUS\"\n" + troff(filled(codes)) + "\n";
}

std::string see_also(const std::vector<std::string>& commands) {
  std::vector<std::string> pages;
  for (const std::string& command : commands) pages.push_back(bold(page_name(command)) + "(1)");
  return ".SH \"SEE ALSO\"\n" + join(pages, ",\n") + "\n";
}

}  // namespace

std::string man_page_file(const std::string& command) {
  return page_name(command) + ".1";
}

std::string program_man_page(const ProgramTable& table, const PageOrigin& origin) {
  std::string text = page_top("", "train and run translation models with attention", origin) +
                     ".SH SYNOPSIS\n" + bold("attend") + " " + italic("COMMAND") + " [" +
                     italic("OPTIONS") + "]\n.SH DESCRIPTION\n" +
                     troff(filled(table.program.meaning)) + "\n.SH COMMANDS\n";
  std::vector<std::string> names;
  for (const CommandEntry& command : table.commands) {
    names.push_back(command.name);
    text += fmt::format(".TP\n{}(1)\n{}.\n", bold(page_name(command.name)), troff(command.meaning));
  }
  return text + options_section(table.program) + examples_section(table.program.footer) +
         exit_section(table) + see_also(names);
}

std::string command_man_page(const ProgramTable& table, const CommandEntry& command,
                             const PageOrigin& origin) {
  std::vector<std::string> others = {""};
  for (const CommandEntry& other : table.commands) {
    if (other.name != command.name) others.push_back(other.name);
  }
  return page_top(command.name, command.meaning, origin) + command_synopsis(command) +
         arguments_section(command) + options_section(command) + examples_section(command.footer) +
         exit_section(table) + see_also(others);
}

}  // namespace attend::cli
