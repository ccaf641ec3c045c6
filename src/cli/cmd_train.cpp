#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/missing_files.h"
#include "app/config/training_config.h"
#include "app/run/dry_run.h"
#include "app/run/training_run.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/progress.h"
#include "cli/start_runtime.h"
#include "core/cores.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "distributed/agreement.h"
#include "distributed/join.h"
#include "distributed/local_ranks.h"
#include "distributed/peer_error.h"
#include "distributed/place.h"
#include "runtime/side_by_side.h"
#include "train/together/joint_update.h"

namespace attend::cli {
namespace {

struct TrainCommand {
  CommonOptions common;
  std::string config;
  std::vector<std::string> overrides;
  std::string output;
  bool resume = false;
  bool overwrite = false;
  bool dry_run = false;
  int64_t ranks = 0;  // 0: not given
};

/// `word` as a shell takes it for one.
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

/// A line for a shell: what else it takes to do the same again.
std::string as_typed(const TrainCommand& command) {
  std::string text = "attend train " + shell_word(command.config);
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

app::TrainingRequest request_of(const TrainCommand& command) {
  return {command.config, command.overrides,  command.common.seed,
          command.output, if_exists(command), command.dry_run};
}

void say_where_nothing_resumes(const app::PlannedRun& run, const TrainCommand& command) {
  if (!command.resume || run.resumed) return;
  log::warning("nothing to resume in {}: training starts at the beginning", run.directory.string());
}

/// What only the one process that leads does, or one that is alone.
void say_what_begins(const app::PlannedRun& run, const TrainCommand& command) {
  log::info("{}", as_typed(command));
  log::info("seed {}, output {}", run.experiment.seed, run.directory.string());
  say_where_nothing_resumes(run, command);
}

void show_dry_run(const app::PlannedRun& run, const app::PreparedRun& prepared) {
  OutputFile output("-");
  output.write(app::dry_run_report(run.experiment, *prepared.data.corpus, *prepared.model));
  output.commit();
  log::info("dry run: nothing was written");
}

/// How the text is read where `progress` shows it.
data::Reading reading_shown(TrainingProgress& progress) {
  return {runtime::threads(), [&](const auto& report) { progress.on_reading(report); }};
}

std::string command_to_resume(TrainCommand command) {
  command.resume = true;
  command.overwrite = false;
  return as_typed(command);
}

/// Calls `train`; where that is stopped, the log says how to go on.
void train_until_stopped(const TrainCommand& given, const std::function<void()>& train) {
  try {
    train();
  } catch (const Stopped&) {
    if (given.config != "-") log::info("to go on: {}", command_to_resume(given));
    throw;
  }
}

/// A log file that is not there is no input. Before the log is set up, which gets messages, too.
void check_log_file_of_training(const TrainCommand& command) {
  const LogOptions& log = command.common.log;
  if (log.file.empty() || !std::filesystem::exists(log.file) || command.config == "-") return;
  check_log_file(log, {}, {command.config});
  const auto loaded = app::load_training_config(command.config, command.overrides);
  check_log_file(log, {}, app::input_files(loaded.options));
}

void train_alone(const TrainCommand& command) {
  set_up_log(command.common.log);
  app::PlannedRun run = app::plan_run(request_of(command));
  const runtime::Runtime runtime = start_runtime(command.common);
  say_what_begins(run, command);
  app::check_precision(run.experiment, runtime.device);
  TrainingProgress progress(command.common.log.quiet);
  const app::PreparedRun prepared =
      app::prepare_run(run, runtime.device, !command.dry_run, reading_shown(progress));
  if (command.dry_run) return show_dry_run(run, prepared);
  train_until_stopped(command, [&] { app::train_run(run, prepared, progress); });
}

/// The processes on this machine share its cores; `--threads` with `--ranks` is for all of them.
int64_t threads_of(const TrainCommand& command, const distributed::Place& place) {
  const int64_t given = command.common.threads;
  if (given > 0 && command.ranks == 0) return given;
  if (given == 0 && place.threads) return *place.threads;
  return std::max<int64_t>(1, (given > 0 ? given : usable_cores()) / place.local_size);
}

/// A GPU for each process of a machine.
std::string device_of(const std::string& device, const distributed::Place& place) {
  // A launcher may show each process a card of its own.
  const int64_t index = torch::cuda::device_count() == 1 ? 0 : place.local_rank;
  const bool any = device == "cuda" || (device == "auto" && torch::cuda::is_available());
  return any ? fmt::format("cuda:{}", index) : device;
}

TrainCommand command_of(TrainCommand command, const distributed::Place& place) {
  command.common.threads = threads_of(command, place);
  command.common.device = device_of(command.common.device, place);
  command.common.log.silent = place.rank != 0;
  return command;
}

/// `command` is of this process, `given` as it was typed.
void train_with(distributed::Group& group, const TrainCommand& command, const TrainCommand& given) {
  app::TrainingRequest request = request_of(command);
  request.follows = !group.leads();
  app::PlannedRun run;
  distributed::agree(&group, "the plan", [&] { run = app::plan_run(request); });
  runtime::Runtime runtime;
  distributed::agree(&group, "the device", [&] {
    runtime = start_runtime(command.common);
    app::check_precision(run.experiment, runtime.device);
  });
  say_what_begins(run, given);
  TrainingProgress progress(command.common.log.quiet);
  const data::Reading reading =
      group.leads() ? reading_shown(progress) : data::Reading{runtime.threads};
  const app::PreparedRun prepared =
      app::prepare_run(run, runtime.device, !command.dry_run, reading, &group);
  group.connect(std::chrono::milliseconds(
      static_cast<int64_t>(1000.0 * run.experiment.training.distributed.timeout)));
  app::check_same_run(run, prepared, version(), runtime.threads, &group);
  const bool shared = train::share_memory(run.experiment.training, runtime.device, &group);
  log::info("{} processes of {} threads train together {}", group.size(), runtime.threads,
            shared ? "in shared memory" : "by messages");
  train::TrainObserver nobody;
  if (!group.leads()) return app::train_run(run, prepared, nobody, &group);
  train_until_stopped(given, [&] { app::train_run(run, prepared, progress, &group); });
}

/// Others are gone, and what waits for them would not end. `given` is the command as it was typed.
[[noreturn]] void end_without(const distributed::PeerError& error, const TrainCommand& given) {
  if (error.speaks())
    log::report(fmt::format("error: {}{}", error.what(),
                            error.can_resume() ? "; go on with: " + command_to_resume(given) : ""));
  std::_Exit(static_cast<int>(error.exit_code()));
}

/// What several processes cannot do.
void check_for_ranks(const TrainCommand& command) {
  if (command.dry_run)
    throw UsageError("--dry-run is for one process; leave the launcher or --ranks out");
  if (command.config == "-")
    throw UsageError(
        "several processes cannot read the config from one standard input; give a file");
}

void train_with_others(const TrainCommand& given, const distributed::Place& place) {
  const TrainCommand command = command_of(given, place);
  set_up_log(command.common.log);
  check_for_ranks(command);
  std::unique_ptr<distributed::Group> group;
  try {
    group = distributed::join(place);
    train_with(*group, command, given);
    group->part();
  } catch (const distributed::PeerError& error) {
    end_without(error, given);
  } catch (const UserError& error) {
    if (group) group->report_failure(error.what());
    if (group) group->part();
    if (place.rank == 0 || !group) throw;
    throw SilentEnd{static_cast<int>(error.exit_code())};
  } catch (const std::exception& error) {
    if (group) group->report_failure(error.what());
    throw;
  }
}

void start_ranks(const TrainCommand& command, const distributed::Place& place) {
  if (!place.alone())
    throw UsageError(
        fmt::format("--ranks {}: {} has started this as one of {} processes; leave --ranks out",
                    command.ranks, place.launcher, place.size));
  check_for_ranks(command);
  const distributed::LocalEnding ending = distributed::run_local_ranks(command.ranks);
  if (!ending.unsaid.empty())
    log::report(fmt::format("error: {}, and so the run ended; go on with: {}", ending.unsaid,
                            command_to_resume(command)));
  if (ending.exit_code != 0) throw SilentEnd{ending.exit_code};
}

void run_train(const TrainCommand& command) {
  check_log_file_of_training(command);
  const distributed::Environment environment = distributed::process_environment();
  const distributed::Place place = distributed::find_place(environment);
  if (command.ranks > 1 && !distributed::is_local_rank(environment))
    return start_ranks(command, place);
  if (place.alone()) return train_alone(command);
  if (command.ranks == 1)
    throw UsageError("--ranks 1: a launcher has started several processes; leave --ranks out");
  train_with_others(command, place);
}

}  // namespace

void add_train(CLI::App& command) {
  const auto options = std::make_shared<TrainCommand>();
  command.add_option("CONFIG", options->config, "What to train, on what and how")
      ->required()
      ->type_name("FILE");
  add_set_option(command, options->overrides);
  command.add_option("--output", options->output, "Model folder (default: runs/<config name>)")
      ->type_name("DIR");
  auto* resume = command.add_flag("--resume", options->resume, "Go on where the run stopped");
  command.add_flag("--overwrite", options->overwrite, "Replace the run in the folder")
      ->excludes(resume);
  command.add_flag("--dry-run", options->dry_run,
                   "Check config and data, build the model, write nothing");
  command
      .add_option("--ranks", options->ranks,
                  "Train with so many processes on this machine, which share the threads")
      ->check(CLI::Range(int64_t{1}, int64_t{1024}).description(""))
      ->type_name("N");
  add_common_options(command, options->common);
  add_log_size_option(command, options->common.log);
  command.footer(
      "Example:\n  attend train configs/quickstart.yaml --set training.max_minutes=10 --output "
      "runs/try");
  command.callback([options] { run_train(*options); });
}

}  // namespace attend::cli
