#include "cli/cmd_train.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/contention_warning.h"
#include "app/dry_run.h"
#include "app/experiment.h"
#include "app/output_directory.h"
#include "app/report.h"
#include "app/resumed_config.h"
#include "app/run_folder.h"
#include "app/training_config.h"
#include "app/training_setup.h"
#include "cli/common_options.h"
#include "cli/progress.h"
#include "cli/start_runtime.h"
#include "config/load.h"
#include "core/error.h"
#include "core/fault_point.h"
#include "core/file.h"
#include "core/log.h"
#include "core/signal.h"
#include "data/tokenizer_models.h"
#include "train/trainer.h"

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

/// A run about to be made.
struct Run {
  app::Experiment experiment;
  std::filesystem::path directory;
  std::unique_ptr<app::RunFolder> folder;  ///< null: nothing will be written
  bool resumed = false;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void stop_if_requested() {
  const int signal = requested_stop();
  if (signal != 0) throw Stopped(signal, "stopped by a signal; go on with --resume");
}

std::string as_typed(const TrainCommand& command) {
  std::string text = "attend train " + command.config;
  for (const std::string& override : command.overrides) text += " --set " + override;
  if (!command.output.empty()) text += " --output " + command.output;
  if (command.resume) text += " --resume";
  if (command.overwrite) text += " --overwrite";
  return text;
}

void set_seed(config::Loaded<app::Experiment>& loaded, int64_t seed) {
  loaded.options.seed = seed;
  const config::Source command_line{fmt::format("--seed {}", seed), {}, {}, true};
  loaded.set_at["seed"] = {std::make_shared<config::Source>(command_line), 0, 0};
}

config::Loaded<app::Experiment> load_experiment(const TrainCommand& command) {
  auto loaded = app::load_training_config(command.config, command.overrides);
  if (command.common.seed) set_seed(loaded, *command.common.seed);
  return loaded;
}

app::IfExists if_exists(const TrainCommand& command) {
  if (command.resume) return app::IfExists::kResume;
  if (command.overwrite) return app::IfExists::kOverwrite;
  return command.dry_run ? app::IfExists::kLeaveAlone : app::IfExists::kRefuse;
}

/// Two processes may find at once that they may train here, so the one that has the lock looks
/// again.
void claim_folder(Run& run, const TrainCommand& command) {
  const auto check = [&] { app::check_output(run.directory, command.config, if_exists(command)); };
  if (!command.dry_run) {
    app::check_not_locked(run.directory);
    check();
    run.folder = std::make_unique<app::RunFolder>(run.directory);
  }
  check();
  run.resumed = command.resume && app::has_state(run.directory);
}

void say_where_nothing_resumes(const Run& run, const TrainCommand& command) {
  if (!command.resume || run.resumed) return;
  log::info("nothing to resume in {}: training starts at the beginning", run.directory.string());
}

Run plan_run(const TrainCommand& command) {
  config::Loaded<app::Experiment> loaded = load_experiment(command);
  Run run{loaded.options, command.output, nullptr, false};
  if (command.output.empty()) run.directory = app::default_output(command.config);
  claim_folder(run, command);
  if (run.resumed) {
    run.experiment = app::resumed_experiment(run.directory, command.config, std::move(loaded));
  } else {
    app::adopt_tokenizers(run.experiment);
  }
  app::check_data_files(run.experiment);
  return run;
}

std::unique_ptr<train::DevSetValidator> make_validator(const app::Experiment& experiment,
                                                       const app::RunData& data,
                                                       const data::TokenizerPair& tokenizers) {
  if (!data.dev) return nullptr;
  train::ValidationOptions options = experiment.training.validation;
  options.lowercase = options.lowercase || experiment.data.lowercase;
  const auto between_batches = [] {
    mark_point("batch of validation");
    stop_if_requested();
  };
  return std::make_unique<train::DevSetValidator>(*data.dev, tokenizers, options,
                                                  experiment.decoding, between_batches);
}

/// Goes on where the run stopped. Nothing in the folder changes before its state could be read.
void resume(train::Trainer& trainer, const Run& run) {
  const train::ResumePoint from = trainer.resume();
  if (!from.damage.empty()) {
    log::warning("{}; going on from the state before it, of update {}", from.damage,
                 from.point.update);
  }
  if (from.new_text) {
    log::warning(
        "the training text has another number of batches than before: epoch {:.0f} begins anew",
        from.point.epochs + 1.0);
  }
  log::info("resuming after update {}, epoch {:.2f}", from.point.update, from.point.epochs);
  app::remove_unfinished_files(run.directory);
  app::write_config(run.directory, run.experiment);
}

void report_end(const train::RunSummary& summary, const Run& run) {
  log::info("done after {} updates, {:.2f} epochs, {:.1f} minutes: {}", summary.point.update,
            summary.point.epochs, summary.point.seconds / 60.0, summary.reason);
  if (summary.best.any) {
    log::info("best {} {:.4f} at update {}; the model is in {}",
              run.experiment.training.validation.metric == "bleu" ? "BLEU" : "negated loss",
              summary.best.score, summary.best.update, run.directory.string());
  }
}

/// What a run trains, and on what.
struct Prepared {
  std::vector<std::string> tokenizer_models;
  app::RunTokenizers tokenizers;
  app::RunData data;
  std::shared_ptr<model::Seq2Seq> model;
};

/// `keep`: the token ids too, for the next run.
Prepared prepare(const Run& run, c10::Device device, bool keep) {
  const app::Experiment& experiment = run.experiment;
  mark_point("preparation begins");
  std::vector<std::string> models = data::tokenizer_models(experiment.tokenizer, experiment.data,
                                                           static_cast<uint64_t>(experiment.seed));
  mark_point("tokenizers are ready");
  app::RunTokenizers tokenizers(models, experiment.data.lowercase);
  app::RunData data =
      app::read_run_data(experiment, tokenizers.pair(), models, run.directory, keep);
  mark_point("text is ready");
  auto model = app::make_model(experiment, tokenizers.pair(), device, run.resumed);
  app::announce_kernels(experiment.training, *model, device);
  return {std::move(models), std::move(tokenizers), std::move(data), std::move(model)};
}

void train_model(Run& run, const Prepared& prepared, bool quiet) {
  if (!run.resumed) {
    run.experiment = app::start_directory(run.directory, run.experiment, prepared.tokenizer_models);
  }
  const app::Experiment& experiment = run.experiment;
  const data::TokenizerPair tokenizers = prepared.tokenizers.pair();
  const auto validator = make_validator(experiment, prepared.data, tokenizers);
  TrainingProgress progress(quiet);
  app::RunReport report(run.directory);
  app::ContentionWarning contention;
  train::ObserverList observers({&progress, &report, &contention});
  train::Trainer trainer(
      {*prepared.model, app::corpus_of_epoch(experiment, prepared.data, tokenizers),
       validator.get(), observers, app::run_files(run.directory), seconds_now},
      experiment.training, static_cast<uint64_t>(experiment.seed));
  if (run.resumed) resume(trainer, run);
  const train::RunSummary summary = trainer.run();
  report.write();
  report_end(summary, run);
}

void run_train(const TrainCommand& command) {
  set_up_log(command.common.log);
  Run run = plan_run(command);
  const runtime::Runtime runtime = start_runtime(command.common);
  log::info("{}", as_typed(command));
  log::info("seed {}, output {}", run.experiment.seed, run.directory.string());
  say_where_nothing_resumes(run, command);
  app::check_precision(run.experiment, runtime.device);
  const Prepared prepared = prepare(run, runtime.device, !command.dry_run);
  if (command.dry_run) {
    OutputFile output("-");
    output.write(app::dry_run_report(run.experiment, *prepared.data.corpus, *prepared.model));
    output.commit();
    log::info("dry run: nothing was written");
    return;
  }
  train_model(run, prepared, command.common.log.quiet);
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
