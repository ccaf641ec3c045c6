#include "cli/command_line.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/help/topics.h"
#include "cli/start_runtime.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "core/standard_streams.h"
#include "runtime/out_of_memory.h"

namespace attend::cli {

namespace {

constexpr std::string_view kOutOfMemory =
    "error: out of memory; reduce --batch-size or training.batch.size, or use a smaller model";

int code(ExitCode exit_code) {
  return static_cast<int>(exit_code);
}

bool is_command(std::string_view name) {
  return std::ranges::find(commands(), name, &Command::name) != commands().end();
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Names the nearest command; CLI11 would only report an unexpected argument.
void check_command_name(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2)
    throw UsageError(fmt::format("no command; the commands are {}", join(command_names())));
  const std::string first = argv[1];
  if (first.starts_with("-")) {
    const auto known = long_options(app);
    const bool is_known =
        first == "-h" || std::find(known.begin(), known.end(), first) != known.end();
    if (!is_known)
      throw UsageError(fmt::format("unknown option {}{}", first, did_you_mean(first, known)));
    return;
  }
  if (is_command(first)) return;
  const std::vector<std::string> names = command_names();
  throw UsageError(fmt::format("unknown command \"{}\"{} (commands: {})", first,
                               did_you_mean(first, names), join(names)));
}

/// Leaves out the group kNotInHelp. CLI11's empty group would hide its names in errors too.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kNotInHelp) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
};

// CLI11 puts two empty lines between groups of options.
std::string without_empty_pairs(std::string help) {
  for (auto at = help.find("\n\n\n"); at != std::string::npos; at = help.find("\n\n\n", at))
    help.erase(at, 1);
  return help;
}

// An unset shell variable leaves an empty argument, which must not count as a missing option.
void check_no_empty_argument(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool after_equals =
        argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    if (!argument.empty() && !after_equals) continue;
    const std::string option = after_equals ? argument.substr(0, argument.size() - 1) : argv[i - 1];
    const std::string what = option.starts_with("--") ? fmt::format("{} has an empty value", option)
                                                      : fmt::format("argument {} is empty", i);
    throw UsageError(what + "; give a value or leave it out (is a shell variable unset?)");
  }
}

const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

std::string describe_extra(const CLI::App& command) {
  for (const std::string& argument : command.remaining(true)) {
    if (!argument.starts_with("-")) return fmt::format("unexpected argument \"{}\"", argument);
    const std::string name = argument.substr(0, argument.find('='));
    return fmt::format("unknown option {}{}", name, did_you_mean(name, long_options(command)));
  }
  return "unexpected argument";
}

int usage_error(const CLI::App& app, const std::string& message) {
  const CLI::App& command = innermost(app);
  const std::string name = &command == &app ? "attend" : "attend " + command.get_name();
  log::report(fmt::format("error: {}\nSee {} --help", message, name));
  return code(ExitCode::kUsage);
}

void print(const std::string& text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

bool asks_for_help(int argc, const char* const* argv) {
  return argc >= 2 && std::string_view(argv[1]) == "help";
}

/// The page of a topic; empty if there is none of this name.
std::string topic_page(std::string_view name) {
  const auto found = std::ranges::find(topics(), name, &Topic::name);
  return found == topics().end() ? "" : std::string(found->text);
}

/// Prints the page of `attend help TOPIC`. Returns false if TOPIC is a command or unknown.
bool print_topic(int argc, const char* const* argv) {
  if (argc != 3 || !asks_for_help(argc, argv) || is_command(argv[2])) return false;
  const std::string page = topic_page(argv[2]);
  if (!page.empty()) print(page);
  return !page.empty();
}

void check_help_name(int argc, const char* const* argv) {
  if (argc < 3 || !asks_for_help(argc, argv) || is_command(argv[2])) return;
  std::vector<std::string> names = command_names();
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  throw UsageError(fmt::format("no help for \"{}\"{} (commands and topics: {})", argv[2],
                               did_you_mean(argv[2], names), join(names)));
}

/// Turns `attend help COMMAND` into `attend COMMAND --help`.
std::vector<const char*> with_help_as_option(int argc, const char* const* argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  if (!asks_for_help(argc, argv)) return arguments;
  arguments.erase(arguments.begin() + 1);
  arguments.push_back("--help");
  return arguments;
}

/// The help of a command. `attend help COMMAND` also gets the topic of the same name.
std::string help_text(const CLI::App& app, int argc, const char* const* argv) {
  const std::string page = asks_for_help(argc, argv) ? topic_page(innermost(app).get_name()) : "";
  return without_empty_pairs(app.help()) + (page.empty() ? "" : "\n" + page);
}

int parse_and_run(CLI::App& app, int argc, const char* const* argv) {
  try {
    if (print_topic(argc, argv)) return code(ExitCode::kDone);
    check_help_name(argc, argv);
    const std::vector<const char*> given = with_help_as_option(argc, argv);
    const auto count = static_cast<int>(given.size());
    check_command_name(app, count, given.data());
    check_no_empty_argument(count, given.data());
    app.parse(count, given.data());
  } catch (const CLI::CallForHelp&) {
    print(help_text(app, argc, argv));
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ExtrasError&) {
    return usage_error(app, describe_extra(innermost(app)));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error.what());
  } catch (const UsageError& error) {
    return usage_error(app, error.what());
  }
  return code(ExitCode::kDone);
}

// A config error starts with the position of the mistake and already says "error".
std::string with_prefix(const std::string& message) {
  const std::string first_line = message.substr(0, message.find('\n'));
  return first_line.find(": error: ") == std::string::npos ? "error: " + message : message;
}

int internal_error(const std::string& what) {
  log::report(
      fmt::format("error: internal error: {}\nThis is a bug in attend; please report it with the "
                  "command and the config.",
                  what));
  return code(ExitCode::kInternal);
}

int out_of_memory() {
  log::report(kOutOfMemory);
  return code(ExitCode::kInternal);
}

// Unexpected file system errors: a symlink loop, a folder without permission, a deleted working
// directory.
int file_error(const std::filesystem::filesystem_error& error) {
  std::error_code here;
  static_cast<void>(std::filesystem::current_path(here));
  const std::string path = here ? "the working directory" : error.path1().string();
  log::report(fmt::format("error: {}: {}", path, error.code().message()));
  return code(ExitCode::kData);
}

int system_error(const std::system_error& error) {
  log::report(fmt::format("error: a system call failed: {}", error.what()));
  return code(ExitCode::kData);
}

int torch_error(const c10::Error& error) {
  if (runtime::is_out_of_memory(error)) return out_of_memory();
  log::debug("{}", error.what());
  return internal_error(error.what_without_backtrace());
}

void set_up_app(CLI::App& app) {
  app.name("attend");
  app.set_version_flag("--version", version_details, "Print version, LibTorch, kernels and build");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(30);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(1);
  app.footer(
      "Start here:\n"
      "  scripts/quickstart.sh       Build, train and try a small model in minutes (in the "
      "sources)\n"
      "  attend help COMMAND         Show the options and an example of a command\n"
      "  attend help TOPIC           Explain attention, config, exit-codes, formats or precision\n"
      "  attend config               Show every config key with its default\n\n"
      "Exit codes: 0 success, 1 internal error or out of memory, 2 usage or config, 3 data, model "
      "or\n"
      "program file, 4 non-finite loss, 5 another process of the run failed, 128+N stopped by "
      "signal "
      "N\n"
      "after saving.\n\n"
      "Example:\n"
      "  attend train configs/quickstart.yaml --output runs/quickstart\n"
      "  echo 'The dog sleeps .' | attend translate --model runs/quickstart");
  add_commands(app);
}

}  // namespace

int run(int argc, const char* const* argv) {
  try {
    spell_options([](std::string_view name) { return fmt::format("--{}", name); });
    install_signal_handlers();
    release_standard_input();
    CLI::App app(
        "Train and run translation models with attention: recurrent networks and Transformers.");
    set_up_app(app);
    return parse_and_run(app, argc, argv);
  } catch (const SilentEnd& end) {
    return end.exit_code;
  } catch (const Stopped& stop) {  // not an error
    log::report(stop.what());
    return code(stop.exit_code());
  } catch (const UserError& error) {
    log::report(with_prefix(error.what()));
    return code(error.exit_code());
  } catch (const ClosedPipe&) {
    return code(ExitCode::kDone);
  } catch (const c10::Error& error) {
    return torch_error(error);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return file_error(error);
  } catch (const std::system_error& error) {
    return system_error(error);
  } catch (const std::exception& error) {
    return internal_error(error.what());
  } catch (...) {
    return internal_error("unknown exception");
  }
}

}  // namespace attend::cli
