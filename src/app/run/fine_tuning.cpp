#include "app/run/fine_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/model/output_directory.h"
#include "config/print.h"
#include "core/closest_name.h"
#include "core/log.h"
#include "core/option_name.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

using std::filesystem::path;

/// Share of the trained learning rate, which is too high for weights that are good already.
constexpr double kShareOfRate = 0.1;

/// Sections and keys that must fit the trained weights and pieces; is_free() names the exceptions.
constexpr std::array<std::string_view, 4> kOfWeights = {"model.", "tokenizer.",
                                                        "data.reverse_target", "data.segments."};

bool is_free(const std::string& key) {
  // Given tokenizers are compared by their pieces; see adopt_tokenizers().
  return key == "tokenizer.model" || key == "tokenizer.sampling" ||
         key.starts_with("model.dropout.");
}

bool belongs_to_weights(const std::string& key) {
  const auto has = [&](std::string_view fixed) {
    return fixed.ends_with('.') ? key.starts_with(fixed) : key == fixed;
  };
  return !is_free(key) && std::ranges::any_of(kOfWeights, has);
}

/// The trained config without its texts, for a short run.
Experiment basis_of(const Experiment& trained) {
  Experiment basis = trained;
  basis.data.train.clear();
  basis.data.dev = {};
  basis.data.terms.links.clear();
  basis.data.cache = data::DataOptions().cache;
  basis.tokenizer.model.clear();
  train::TrainingOptions& training = basis.training;
  training.guided_alignment.links.clear();
  if (training.init_from.empty()) training.learning_rate *= kShareOfRate;
  training.schedule = train::ScheduleKind::constant;
  training.warmup_updates = 0;
  training.decay = {};
  return basis;
}

/// A trained config may have keys without an effect, such as the weight of links that are gone. The
/// user cannot leave them out.
config::Purpose purpose_for(const Experiment& basis) {
  config::Reading reading;
  reading.purpose = config::Purpose::show;
  config::schema_of<Experiment>().check(basis, "", reading);
  return reading.problems.empty() ? config::Purpose::train : config::Purpose::resume;
}

config::Place place_of(const std::string& key, const config::Reading& reading) {
  const auto found = reading.set_at.find(key);
  return found == reading.set_at.end() ? reading.whole : found->second;
}

/// Reports every key of kOfWeights that differs from the trained model's.
void report_misfits(const Experiment& trained, const Experiment& experiment, const path& directory,
                    config::Reading& reading) {
  const auto report = [&](const std::string& key, const std::string& now, const std::string& then) {
    reading.problems.add(
        {place_of(key, reading), key,
         fmt::format("{}, but the model in {} has {}", now, directory.string(), then),
         "fine-tuning keeps the model and its tokenizer: leave the key out, or "
         "train a new model without " +
             option_name("from")});
  };
  for (const std::string& key : config::differences(trained, experiment)) {
    if (belongs_to_weights(key))
      report(key, config::value_of(experiment, key), config::value_of(trained, key));
  }
  if (experiment.data.train.empty()) return;
  const auto sources = data::source_names(experiment.data);
  const auto known = data::source_names(trained.data);
  if (sources.size() != known.size())
    report("data.train", fmt::format("{} sources", sources.size()),
           fmt::format("{}", known.size()));
}

/// Turns off what needs a validation set, unless the config sets it.
void settle_without_validation(train::TrainingOptions& training, const config::SetAt& set_at) {
  if (!set_at.contains("training.patience")) training.patience = 0;
  if (!set_at.contains("training.keep")) training.keep = {};
  if (!set_at.contains("training.average")) training.average = {};
}

void settle_fine_tuning(const Experiment& trained, const path& directory, Experiment& experiment,
                        config::Reading& reading) {
  if (reading.set_at.contains("training.init_from")) {
    reading.problems.add({place_of("training.init_from", reading), "training.init_from",
                          option_name("from") + " names the model to start from already",
                          "leave one of them out"});
  }
  experiment.training.init_from = full_folder_name(directory).string();
  report_misfits(trained, experiment, directory, reading);
  if (experiment.data.dev.empty()) settle_without_validation(experiment.training, reading.set_at);
}

}  // namespace

config::Loaded<Experiment> load_fine_tuning(const path& directory, const path& file,
                                            std::span<const std::string> overrides) {
  const Experiment trained = load_experiment(directory);
  const Experiment basis = basis_of(trained);
  return config::load<Experiment>(file, overrides, purpose_for(basis),
                                  {basis, [&](Experiment& experiment, config::Reading& reading) {
                                     settle_fine_tuning(trained, directory, experiment, reading);
                                   }});
}

void log_short_run(const path& directory, const config::Loaded<Experiment>& loaded) {
  std::vector<std::string> keys;
  for (const char* key : {"training.learning_rate", "training.schedule", "training.warmup_updates"})
    if (!loaded.set_at.contains(key))
      keys.push_back(fmt::format("{}: {}", key, config::value_of(loaded.options, key)));
  log::info("fine-tuning {}{}; other keys as in its {}", directory.string(),
            keys.empty() ? "" : ", for a short run with " + join(keys),
            storage::model_folder::kConfig);
}

}  // namespace attend::app
