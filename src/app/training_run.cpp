#include "app/training_run.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/contention_warning.h"
#include "app/report.h"
#include "core/error.h"
#include "core/fault_point.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "data/tokenizer_models.h"
#include "train/trainer.h"

namespace attend::app {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void stop_if_requested() {
  const int signal = requested_stop();
  if (signal != 0)
    throw Stopped(signal, "stopped by a signal; go on with " + option_name("resume"));
}

std::unique_ptr<train::DevSetValidator> make_validator(const Experiment& experiment,
                                                       const RunData& data,
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
void resume(train::Trainer& trainer, const PlannedRun& run) {
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
  remove_unfinished_files(run.directory);
  write_config(run.directory, run.experiment);
}

void report_end(const train::RunSummary& summary, const PlannedRun& run) {
  log::info("done after {} updates, {:.2f} epochs, {:.1f} minutes: {}", summary.point.update,
            summary.point.epochs, summary.point.seconds / 60.0, summary.reason);
  if (summary.best.any) {
    log::info("best {} {:.4f} at update {}; the model is in {}",
              run.experiment.training.validation.metric == "bleu" ? "BLEU" : "negated loss",
              summary.best.score, summary.best.update, run.directory.string());
  }
}

}  // namespace

PreparedRun prepare_run(const PlannedRun& run, c10::Device device, bool keep) {
  const Experiment& experiment = run.experiment;
  mark_point("preparation begins");
  std::vector<std::string> models = data::tokenizer_models(experiment.tokenizer, experiment.data,
                                                           static_cast<uint64_t>(experiment.seed));
  mark_point("tokenizers are ready");
  RunTokenizers tokenizers(models, experiment.data);
  RunData data = read_run_data(experiment, tokenizers.pair(), models, run.directory, keep);
  mark_point("text is ready");
  auto model = make_model(experiment, tokenizers.pair(), device, run.resumed);
  announce_kernels(experiment.training, *model, device);
  return {std::move(models), std::move(tokenizers), std::move(data), std::move(model)};
}

void train_run(PlannedRun& run, const PreparedRun& prepared, train::TrainObserver& progress) {
  if (!run.resumed) {
    run.experiment = start_directory(run.directory, run.experiment, prepared.tokenizer_models);
  }
  const Experiment& experiment = run.experiment;
  const data::TokenizerPair tokenizers = prepared.tokenizers.pair();
  const auto validator = make_validator(experiment, prepared.data, tokenizers);
  RunReport report(run.directory);
  ContentionWarning contention;
  train::ObserverList observers({&progress, &report, &contention});
  train::Trainer trainer(
      {*prepared.model, corpus_of_epoch(experiment, prepared.data, tokenizers), validator.get(),
       observers, run_files(run.directory), seconds_now, &tokenizers.target},
      experiment.training, static_cast<uint64_t>(experiment.seed));
  if (run.resumed) resume(trainer, run);
  const train::RunSummary summary = trainer.run();
  report.write();
  report_end(summary, run);
}

}  // namespace attend::app
