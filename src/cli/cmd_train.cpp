#include "cli/cmd_train.h"

#include <memory>
#include <string>
#include <vector>

#include "app/dry_run.h"
#include "app/training_run.h"
#include "cli/common_options.h"
#include "cli/progress.h"
#include "cli/start_runtime.h"
#include "core/file.h"
#include "core/log.h"

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
};

std::string as_typed(const TrainCommand& command) {
  std::string text = "attend train " + command.config;
  for (const std::string& override : command.overrides) text += " --set " + override;
  if (!command.output.empty()) text += " --output " + command.output;
  if (command.resume) text += " --resume";
  if (command.overwrite) text += " --overwrite";
  return text;
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
  log::info("nothing to resume in {}: training starts at the beginning", run.directory.string());
}

void run_train(const TrainCommand& command) {
  set_up_log(command.common.log);
  app::PlannedRun run = app::plan_run(request_of(command));
  const runtime::Runtime runtime = start_runtime(command.common);
  log::info("{}", as_typed(command));
  log::info("seed {}, output {}", run.experiment.seed, run.directory.string());
  say_where_nothing_resumes(run, command);
  app::check_precision(run.experiment, runtime.device);
  const app::PreparedRun prepared = app::prepare_run(run, runtime.device, !command.dry_run);
  if (command.dry_run) {
    OutputFile output("-");
    output.write(app::dry_run_report(run.experiment, *prepared.data.corpus, *prepared.model));
    output.commit();
    log::info("dry run: nothing was written");
    return;
  }
  TrainingProgress progress(command.common.log.quiet);
  app::train_run(run, prepared, progress);
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
  add_common_options(command, options->common);
  add_log_size_option(command, options->common.log);
  command.footer(
      "Example:\n  attend train configs/quickstart.yaml --set training.max_minutes=10 --output "
      "runs/try");
  command.callback([options] { run_train(*options); });
}

}  // namespace attend::cli
