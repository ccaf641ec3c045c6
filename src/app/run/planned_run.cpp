#include "app/run/planned_run.h"

#include <fmt/format.h>

#include <utility>

#include "app/config/missing_files.h"
#include "app/run/bleu_tokenizer.h"
#include "app/run/fine_tuning.h"
#include "app/run/initial_model.h"
#include "app/run/resumed_config.h"
#include "app/run/training_setup.h"
#include "config/print.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

void set_seed(config::Loaded<Experiment>& loaded, int64_t seed) {
  loaded.options.seed = seed;
  const config::Source option{fmt::format("{} {}", option_name("seed"), seed), {}, {}, true};
  loaded.set_at["seed"] = {std::make_shared<config::Source>(option), 0, 0};
}

/// Other processes may not see the folder, so only the first process checks it.
bool may_resume(const TrainingRequest& request) {
  return request.if_exists == IfExists::kResume &&
         (request.follows || has_state(output_of(request)));
}

/// Checks again once the folder is locked, because two processes may pass the first check at once.
void claim_folder(PlannedRun& run, const TrainingRequest& request) {
  const auto check = [&] { check_output(run.directory, request.config, request.if_exists); };
  if (!request.dry) {
    check_not_locked(run.directory);
    check();
    run.folder = std::make_unique<RunFolder>(run.directory);
  }
  check();
  run.resumed = request.if_exists == IfExists::kResume && has_state(run.directory);
}

/// Throws UsageError if the run would replace the model that it starts from.
void check_start_is_kept(const PlannedRun& run) {
  const std::string& start = run.experiment.training.init_from;
  std::error_code ignored;
  if (start.empty() || !std::filesystem::equivalent(start, run.directory, ignored)) return;
  throw UsageError(
      fmt::format("{} {}: training starts from the model in this folder and would "
                  "replace it; give another folder",
                  option_name("output"), run.directory.string()));
}

config::Loaded<Experiment> load_config_of(const TrainingRequest& request) {
  if (!request.from.empty())
    return load_fine_tuning(request.from, request.config, request.overrides);
  return config::load<Experiment>(
      request.config, request.overrides,
      may_resume(request) ? config::Purpose::resume : config::Purpose::train);
}

}  // namespace

std::filesystem::path output_of(const TrainingRequest& request) {
  return request.output.empty() ? default_output(request.config)
                                : std::filesystem::path(request.output);
}

config::Loaded<Experiment> load_config(const TrainingRequest& request) {
  auto loaded = load_config_of(request);
  if (request.seed) set_seed(loaded, *request.seed);
  return loaded;
}

PlannedRun plan_run(const TrainingRequest& request, config::Loaded<Experiment> loaded) {
  check_files_are_there(loaded);
  PlannedRun run{loaded.options, output_of(request), nullptr};
  run.asked = config::to_yaml(run.experiment);
  run.follows = request.follows;
  if (run.follows) {
    check_data_files(run.experiment);
    choose_tokenizer_of_bleu(run.experiment);
    return run;
  }
  check_start_is_kept(run);
  claim_folder(run, request);
  if (run.resumed) {
    run.experiment = resumed_experiment(run.directory, request.config, std::move(loaded));
  } else {
    adopt_tokenizers(run.experiment, loaded.set_at);
    if (!request.from.empty()) log_short_run(request.from, loaded);
  }
  check_data_files(run.experiment);
  choose_tokenizer_of_bleu(run.experiment);
  return run;
}

}  // namespace attend::app
