#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/named_enum.h"

namespace attend::cli {

/// The group of options that the help leaves out.
inline constexpr const char* kNotInHelp = "not in the help";

/// Options of the log on standard error and in a file.
struct LogOptions {
  bool quiet = false;     ///< only warnings and errors
  bool verbose = false;   ///< details for debugging
  bool silent = false;    ///< nothing: another process of the run logs
  std::string file;       ///< also gets the whole log; empty: none
  int64_t file_size = 0;  ///< MB at which the file is rotated; 0: no limit
};

/// Options of every command that runs a model.
struct CommonOptions {
  std::string device = "auto";  ///< auto | cpu | cuda | cuda:N
  int64_t threads = 0;          ///< 0: the physical cores that this process may use
  std::optional<int64_t> seed;  ///< unset: the config's seed, or 1
  LogOptions log;
};

/// Adds --quiet, --verbose and --log-file.
void add_log_options(CLI::App& command, LogOptions& options);
/// Adds --log-file-size, for long-running commands.
void add_log_size_option(CLI::App& command, LogOptions& options);
/// Adds --device, --threads, --seed and the log options.
void add_common_options(CLI::App& command, CommonOptions& options);
/// Adds --set key=value, which may be repeated and takes one value each time.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);

/// Accepts only `choices`; its message names the nearest one.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> choices);
/// The choices of an option checked by one_of(), or by a validator named like it; otherwise none.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option& option);

/// Adds an option whose argument is the name of an enum value.
template <NamedEnum Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, std::optional<Enum>& value,
                        const std::string& help) {
  const auto set = [&value](const std::string& name) { value = enum_value<Enum>(name); };
  return command.add_option_function<std::string>(flag, set, help)
      ->check(one_of(enum_names<Enum>()));
}

/// Accepts numbers from `least` to `most`; rejects NaN.
[[nodiscard]] CLI::Validator between(double least, double most);

/// Sets up the log. Throws UsageError for --quiet with --verbose and a size without a file,
/// DataError if the log file cannot be opened.
void set_up_log(const LogOptions& options);

/// Accepts whole numbers >= `least`.
[[nodiscard]] CLI::Validator at_least(int64_t least);

/// Throws UsageError if the log file is one of the `outputs` or `inputs`, given as for
/// check_inputs_kept().
void check_log_file(const LogOptions& options, std::initializer_list<std::filesystem::path> outputs,
                    const std::vector<std::string>& inputs);

/// Throws UsageError if one of the `outputs` ("-": standard output; empty: none) would overwrite
/// one of the `inputs` ("-": standard input; empty: none; NAME=FILE,NAME=FILE: several files).
void check_inputs_kept(std::initializer_list<std::filesystem::path> outputs,
                       const std::vector<std::string>& inputs);

}  // namespace attend::cli
