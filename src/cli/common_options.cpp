#include "cli/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/log.h"
#include "core/output_place.h"

namespace attend::cli {

namespace {

constexpr const char* kGroup = "Common options";
constexpr int64_t kLargestLogFile = 1'000'000;  // MB
constexpr std::size_t kMegabyte = 1'000'000;
/// Prefix of the name of a validator that lists choices; CLI11 keeps only the name of a validator.
constexpr std::string_view kChoices = "choices:";

std::string choices_name(const std::vector<std::string>& choices) {
  return std::string(kChoices) + join(choices, "|");
}

std::string device_problem(const std::string& device) {
  const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() <= 8 &&
                        device.find_first_not_of("0123456789", 5) == std::string::npos;
  if (numbered || device == "auto" || device == "cpu" || device == "cuda") return "";
  return fmt::format("unknown device \"{}\" (choices: auto, cpu, cuda, cuda:N)", device);
}

/// The files of FILE, "-" or NAME=FILE,NAME=FILE.
std::vector<std::filesystem::path> files_of(const std::string& input) {
  std::error_code ignored;
  if (input == "-") return {"/dev/stdin"};
  if (std::filesystem::exists(input, ignored)) return {input};
  std::vector<std::filesystem::path> files;
  for (const std::string& part : CLI::detail::split(input, ','))
    files.emplace_back(part.substr(part.find('=') + 1));
  return files;
}

void check_input_kept(const std::filesystem::path& output, const std::filesystem::path& input) {
  std::error_code ignored;
  if (output.empty() || !std::filesystem::is_regular_file(input, ignored)) return;
  if (!is_same_output(output, input)) return;
  throw UsageError(
      fmt::format("the output {} is also an input and would overwrite it; give another file",
                  output == "-" ? "(standard output)" : output.string()));
}

}  // namespace

void add_log_options(CLI::App& command, LogOptions& options) {
  command.add_flag("--quiet", options.quiet, "Show only warnings and errors on stderr")
      ->group(kGroup);
  command.add_flag("--verbose", options.verbose, "Show details on stderr")->group(kGroup);
  command.add_option("--log-file", options.file, "Append the whole log to this file")
      ->type_name("FILE")
      ->group(kGroup);
}

void add_log_size_option(CLI::App& command, LogOptions& options) {
  command
      .add_option(
          "--log-file-size", options.file_size,
          "Rotate the log file at MB megabytes, keeping one old file, x.1.log (default: never)")
      ->check(CLI::Range(int64_t{1}, kLargestLogFile).description(""))
      ->type_name("MB")
      ->group(kGroup);
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--device", options.device, "Run on auto, cpu, cuda or cuda:N (default auto)")
      ->check(CLI::Validator(device_problem, "", choices_name({"auto", "cpu", "cuda"})))
      ->type_name("D")
      ->group(kGroup);
  command
      .add_option("--threads", options.threads,
                  "Use N CPU threads (default: all usable physical cores)")
      ->check(CLI::Range(int64_t{1}, int64_t{1024}).description(""))
      ->type_name("N")
      ->group(kGroup);
  command
      .add_option("--seed", options.seed,
                  "Seed all random numbers (default: the config's seed, or 1)")
      ->check(at_least(0))
      ->type_name("N")
      ->group(kGroup);
  add_log_options(command, options.log);
}

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command.add_option("--set", overrides, "Override a config key; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

CLI::Validator one_of(std::vector<std::string> choices) {
  const std::string name = choices_name(choices);
  const auto problem = [choices = std::move(choices)](const std::string& value) -> std::string {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
    return fmt::format("unknown value \"{}\"{} (choices: {})", value, did_you_mean(value, choices),
                       join(choices));
  };
  return {problem, "", name};
}

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string& name = option.get_validator(i)->get_name();
      if (name.starts_with(kChoices)) return CLI::detail::split(name.substr(kChoices.size()), '|');
    }
  } catch (const CLI::OptionNotFound&) {  // after the last validator
    return {};
  }
}

CLI::Validator between(double least, double most) {
  const auto problem = [least, most](const std::string& value) -> std::string {
    double number = 0.0;
    const bool fits = CLI::detail::lexical_cast(value, number) && number >= least && number <= most;
    return fits ? "" : fmt::format("{} is not a number from {} to {}", value, least, most);
  };
  return {problem, ""};
}

void set_up_log(const LogOptions& options) {
  if (options.quiet && options.verbose)
    throw UsageError("--quiet and --verbose contradict each other; give one of them");
  if (options.file_size > 0 && options.file.empty())
    throw UsageError("--log-file-size needs --log-file");
  if (options.silent) return log::set_up(log::Level::kError, "");
  const auto least = options.verbose ? log::Level::kDebug
                     : options.quiet ? log::Level::kWarning
                                     : log::Level::kInfo;
  log::set_up(least, options.file, kMegabyte * static_cast<std::size_t>(options.file_size));
}

CLI::Validator at_least(int64_t least) {
  const auto problem = [least](const std::string& value) -> std::string {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc::result_out_of_range) return fmt::format("{} is out of range", value);
    const bool fits = error == std::errc() && end == value.data() + value.size() && number >= least;
    return fits ? "" : fmt::format("{} is not a whole number >= {}", value, least);
  };
  return {problem, ""};
}

void check_log_file(const LogOptions& options, std::initializer_list<std::filesystem::path> outputs,
                    const std::vector<std::string>& inputs) {
  if (options.file.empty()) return;
  for (const std::string& input : inputs) {
    for (const std::filesystem::path& file : files_of(input)) {
      if (file.empty() || !is_same_output(options.file, file)) continue;
      throw UsageError(fmt::format(
          "--log-file {} is also an input and would be changed; give another file", options.file));
    }
  }
  for (const std::filesystem::path& output : outputs) {
    if (output.empty() || !is_same_output(options.file, output)) continue;
    throw UsageError(
        fmt::format("--log-file {} is also the output; give another file", options.file));
  }
}

void check_inputs_kept(std::initializer_list<std::filesystem::path> outputs,
                       const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    for (const std::filesystem::path& file : files_of(input)) {
      for (const std::filesystem::path& output : outputs) check_input_kept(output, file);
    }
  }
}

}  // namespace attend::cli
