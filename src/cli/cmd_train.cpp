#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/missing_files.h"
#include "app/run/dry_run.h"
#include "app/run/planned_run.h"
#include "app/run/training_process.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/progress.h"
#include "cli/start_runtime.h"
#include "config/print.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "distributed/join.h"
#include "distributed/local_ranks.h"
#include "distributed/peer_error.h"
#include "distributed/place.h"
#include "runtime/device_identity.h"
#include "storage/model_folder.h"

namespace attend::cli {
namespace {

struct TrainCommand {
  CommonOptions common;
  std::string from;
  std::string config;  // empty: none
  std::vector<std::string> overrides;
  std::string output;
  bool resume = false;
  bool overwrite = false;
  bool dry_run = false;
  int64_t ranks = 0;  // 0: not given
};

/// Quotes `word` for a shell if necessary.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./=:,+-@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string common_as_typed(const CommonOptions& options) {
  std::string text;
  if (options.seed) text += fmt::format(" --seed {}", *options.seed);
  if (options.threads > 0) text += fmt::format(" --threads {}", options.threads);
  if (options.device != "auto") text += " --device " + options.device;
  if (options.log.quiet) text += " --quiet";
  if (options.log.verbose) text += " --verbose";
  if (!options.log.file.empty()) text += " --log-file " + shell_word(options.log.file);
  if (options.log.file_size > 0) text += fmt::format(" --log-file-size {}", options.log.file_size);
  return text;
}

/// The command as a line for a shell.
std::string as_typed(const TrainCommand& command) {
  std::string text = "attend train";
  if (!command.from.empty()) text += " --from " + shell_word(command.from);
  if (!command.config.empty()) text += " " + shell_word(command.config);
  for (const std::string& override : command.overrides) text += " --set " + shell_word(override);
  if (!command.output.empty()) text += " --output " + shell_word(command.output);
  if (command.resume) text += " --resume";
  if (command.overwrite) text += " --overwrite";
  if (command.ranks > 0) text += fmt::format(" --ranks {}", command.ranks);
  return text + common_as_typed(command.common);
}

app::IfExists if_exists(const TrainCommand& command) {
  if (command.resume) return app::IfExists::kResume;
  if (command.overwrite) return app::IfExists::kOverwrite;
  return command.dry_run ? app::IfExists::kLeaveAlone : app::IfExists::kRefuse;
}

app::TrainingRequest request_of(const TrainCommand& command, const distributed::Place& place) {
  return {.from = command.from,
          .config = command.config,
          .overrides = command.overrides,
          .seed = command.common.seed,
          .output = command.output,
          .if_exists = if_exists(command),
          .dry = command.dry_run,
          .follows = place.rank != 0};
}

void log_plan(const app::PlannedRun& run, const TrainCommand& command) {
  log::info("{}", as_typed(command));
  log::info("seed {}, output {}", run.experiment.seed, run.directory.string());
  if (command.resume && !run.resumed)
    log::warning("nothing to resume in {}; training starts from the beginning",
                 run.directory.string());
}

/// `with_config`: show every key of the config first.
void show_dry_run(const app::PlannedRun& run, const app::PreparedRun& prepared, bool with_config) {
  OutputFile output("-");
  if (with_config) output.write(config::to_yaml(run.experiment) + "\n");
  output.write(app::dry_run_report(run.experiment, *prepared.data.corpus,
                                   prepared.tokenizers.pair(), *prepared.model));
  output.commit();
  log::info("dry run: nothing was written");
}

/// A fine-tuned model is resumed with the config in its own folder, because the config as given
/// lacks the keys of the model that it started from.
std::string command_to_resume(TrainCommand command) {
  if (!command.from.empty()) {
    command.output = app::output_of(request_of(command, {})).string();
    command.config =
        (std::filesystem::path(command.output) / storage::model_folder::kConfig).string();
    command.overrides.clear();
    command.from.clear();
  }
  command.resume = true;
  command.overwrite = false;
  return as_typed(command);
}

using LoadedConfig = std::optional<config::Loaded<app::Experiment>>;

/// Throws UsageError if the log file is an input of the run. Called before set_up_log(), which
/// writes to the file. Returns the config if the check had to load it.
LoadedConfig check_log_file_of_training(const TrainCommand& command,
                                        const distributed::Place& place) {
  const LogOptions& log = command.common.log;
  if (log.file.empty() || !std::filesystem::exists(log.file) || command.config == "-") return {};
  if (!command.config.empty()) check_log_file(log, {}, {command.config});
  LoadedConfig loaded = app::load_config(request_of(command, place));
  check_log_file(log, {}, app::input_files(loaded->options));
  return loaded;
}

/// The command line as it was given, and `command`, its version for this process of the run.
struct Invocation {
  TrainCommand given;
  distributed::Place place;
  LoadedConfig config;  // if already loaded
  TrainCommand command = given;
};

runtime::Runtime start_runtime_of(const Invocation& invocation) {
  CommonOptions options = invocation.command.common;
  options.device = app::device_of_process(options.device, invocation.place, runtime::count_gpus());
  return start_runtime(options);
}

app::RunSteps steps_of(const Invocation& invocation, TrainingProgress& progress) {
  const TrainCommand& given = invocation.given;
  return {.request = request_of(invocation.command, invocation.place),
          .config = invocation.config,
          .version = version(),
          .start_runtime = [&] { return start_runtime_of(invocation); },
          .on_plan = [&](const app::PlannedRun& run) { log_plan(run, given); },
          .on_reading = [&](const auto& report) { progress.on_reading(report); },
          .progress = progress,
          .on_stop =
              [&] {
                if (given.config != "-") log::info("to resume: {}", command_to_resume(given));
              }};
}

void train_alone(const Invocation& invocation) {
  const TrainCommand& command = invocation.command;
  set_up_log(command.common.log);
  TrainingProgress progress(command.common.log.quiet);
  const app::RunSteps steps = steps_of(invocation, progress);
  app::ReadyRun run = app::set_up_run(steps);
  if (command.dry_run) return show_dry_run(run.plan, run.prepared, command.common.log.verbose);
  app::train_ready_run(run, steps);
}

/// Ends the program at once, because waiting for lost processes would take forever.
[[noreturn]] void end_without_peers(const distributed::PeerError& error,
                                    const TrainCommand& given) {
  if (error.speaks())
    log::report(fmt::format("error: {}{}", error.what(),
                            error.can_resume() ? "; to resume: " + command_to_resume(given) : ""));
  std::_Exit(static_cast<int>(error.exit_code()));
}

/// Throws UsageError for options that several processes do not support.
void check_for_ranks(const TrainCommand& command) {
  if (command.dry_run)
    throw UsageError("--dry-run runs in one process; leave out the launcher or --ranks");
  if (command.config == "-")
    throw UsageError("several processes cannot share a config on standard input; give a file");
  if (command.ranks > 1 && command.common.device.starts_with("cuda:"))
    throw UsageError(
        fmt::format("--ranks {0}: the processes cannot share --device {1}; --device cuda "
                    "gives each its own GPU",
                    command.ranks, command.common.device));
}

void train_with_others(Invocation invocation) {
  TrainCommand& command = invocation.command;
  const distributed::Place& place = invocation.place;
  command.common.threads =
      app::threads_of_process(command.common.threads, command.ranks > 0, place);
  command.common.log.silent = place.rank != 0;
  set_up_log(command.common.log);
  check_for_ranks(command);
  std::unique_ptr<distributed::Group> group;
  try {
    group = distributed::join(place);
    TrainingProgress progress(command.common.log.quiet);
    app::train_in_group(steps_of(invocation, progress), *group);
  } catch (const distributed::PeerError& error) {
    end_without_peers(error, invocation.given);
  } catch (const UserError& error) {
    if (place.rank == 0 || !group) throw;
    throw SilentEnd{static_cast<int>(error.exit_code())};
  }
}

void start_ranks(const TrainCommand& command, const distributed::Place& place) {
  if (!place.alone())
    throw UsageError(
        fmt::format("--ranks {}: {} already started this as one of {} processes; leave out --ranks",
                    command.ranks, place.launcher, place.size));
  check_for_ranks(command);
  const distributed::LocalEnding ending = distributed::run_local_ranks(command.ranks);
  if (!ending.unreported.empty())
    log::report(fmt::format("error: {}, so the run ended; to resume: {}", ending.unreported,
                            command_to_resume(command)));
  if (ending.exit_code != 0) throw SilentEnd{ending.exit_code};
}

/// Throws UsageError if it is unclear which model to train, or where to write it.
void check_start(const TrainCommand& command) {
  if (command.from.empty()) {
    if (command.config.empty())
      throw UsageError(
          "CONFIG is required; give a config file, or --from DIR to fine-tune a model");
    return;
  }
  if (command.resume)
    throw UsageError("--from starts a new run; to resume one: " + command_to_resume(command));
  if (command.config.empty() && command.output.empty())
    throw UsageError("--from without CONFIG needs --output DIR for the new model");
}

void run_train(const TrainCommand& command) {
  check_start(command);
  const distributed::Environment environment = distributed::process_environment();
  const distributed::Place place = distributed::find_place(environment);
  // The process that starts local ranks has checked the log file for them.
  const bool is_local_rank = distributed::is_local_rank(environment);
  LoadedConfig config;
  if (!is_local_rank) config = check_log_file_of_training(command, place);
  if (command.ranks > 1 && !is_local_rank) return start_ranks(command, place);
  const Invocation invocation{command, place, std::move(config)};
  if (place.alone()) return train_alone(invocation);
  if (command.ranks == 1)
    throw UsageError("--ranks 1: a launcher already started several processes; leave out --ranks");
  train_with_others(invocation);
}

}  // namespace

void add_train(CLI::App& command) {
  const auto options = std::make_shared<TrainCommand>();
  command
      .add_option("CONFIG", options->config,
                  "Config file: data, model and training (see attend config)")
      ->type_name("FILE");
  command
      .add_option("--from", options->from,
                  "Fine-tune this model: CONFIG needs only the new data, and may be left out")
      ->type_name("DIR");
  add_set_option(command, options->overrides);
  command
      .add_option("--output", options->output,
                  "Write the model to this folder (default: runs/<config name>)")
      ->type_name("DIR");
  auto* resume = command.add_flag("--resume", options->resume,
                                  "Continue the run in the folder from its last save");
  command.add_flag("--overwrite", options->overwrite, "Replace an existing run in the folder")
      ->excludes(resume)
      ->option_text(" ");  // not "Excludes: ..."; the error says so
  resume->option_text(" ");
  command.add_flag("--dry-run", options->dry_run,
                   "Check config and data, print pairs and sizes, write nothing; --verbose: print "
                   "the config too");
  command
      .add_option("--ranks", options->ranks,
                  "Train with N local processes that share --threads (default 1)")
      ->check(CLI::Range(int64_t{1}, int64_t{1024}).description(""))
      ->type_name("N");
  add_common_options(command, options->common);
  add_log_size_option(command, options->common.log);
  command.footer(
      "Example:\n  attend train configs/quickstart.yaml --set training.max_minutes=10 --output "
      "runs/try\n"
      "  attend train --from runs/try new_data.yaml --output runs/tuned");
  command.callback([options] { run_train(*options); });
}

}  // namespace attend::cli
