#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace attend::cli {

/// A group of options that the help leaves out: for comparisons, or named with another option.
inline constexpr const char* kNotInHelp = "not in the help";

/// What goes to standard error and to a log file.
struct LogOptions {
  bool quiet = false;     ///< only warnings and errors
  bool verbose = false;   ///< details for finding mistakes
  bool silent = false;    ///< nothing: of a process that follows another, which shows it all
  std::string file;       ///< gets everything as well
  int64_t file_size = 0;  ///< MB of a file before a new one is begun; 0: no limit
};

/// What every command that runs a model takes.
struct CommonOptions {
  std::string device = "auto";  ///< auto | cpu | cuda | cuda:N
  int64_t threads = 0;          ///< 0: the physical cores that this process may use
  std::optional<int64_t> seed;  ///< unset: the config's, or 1
  LogOptions log;
};

/// Adds --quiet, --verbose and --log-file.
void add_log_options(CLI::App& command, LogOptions& options);
/// Adds --log-file-size, for commands that may run for long.
void add_log_size_option(CLI::App& command, LogOptions& options);
/// Adds --device, --threads, --seed and the log options.
void add_common_options(CLI::App& command, CommonOptions& options);
/// Adds --set key=value, which may be repeated and takes one value each time.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);

/// Accepts only `choices`; says which one may have been meant.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> choices);

/// Adds an option that takes the name of a value of an enum.
template <NamedEnum Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, std::optional<Enum>& value,
                        const std::string& help) {
  const auto set = [&value](const std::string& name) { value = enum_value<Enum>(name); };
  return command.add_option_function<std::string>(flag, set, help)
      ->check(one_of(enum_names<Enum>()));
}

/// Accepts least <= x <= most, which NaN is not.
[[nodiscard]] CLI::Validator between(double least, double most);

/// Sets the log up. Throws UsageError for --quiet with --verbose and a size without a file,
/// DataError if the log file cannot be opened.
void set_up_log(const LogOptions& options);

/// Accepts whole numbers from `least` on.
[[nodiscard]] CLI::Validator at_least(int64_t least);

/// Throws UsageError if the log file is one of the `outputs` ("-": standard output; empty: none),
/// which would take its place, or of the `inputs` (as below), to which it would add.
void check_log_file(const LogOptions& options, std::initializer_list<std::filesystem::path> outputs,
                    const std::vector<std::string>& inputs);

/// Throws UsageError if one of the `outputs` (as above) would take the place of one of the `inputs`
/// ("-": standard input; empty: none; NAME=FILE,NAME=FILE: several), whose text would be lost.
void check_inputs_kept(std::initializer_list<std::filesystem::path> outputs,
                       const std::vector<std::string>& inputs);

}  // namespace attend::cli
