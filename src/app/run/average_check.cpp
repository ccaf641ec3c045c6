#include "app/run/average_check.h"

#include <fmt/format.h>

#include "app/model/loaded_model.h"
#include "app/run/bleu_tokenizer.h"
#include "app/run/run_validator.h"
#include "core/error.h"
#include "core/option_name.h"
#include "data/dev_set.h"
#include "storage/weights_file.h"

namespace attend::app {

void require_validation_set(const std::filesystem::path& directory) {
  if (!load_experiment(directory).data.dev.empty()) return;
  throw UsageError(fmt::format(
      "{} needs a validation set, but the config of {} has none (data.dev); leave the option out",
      option_name("validate"), directory.string()));
}

AverageCheck check_average(const std::filesystem::path& directory,
                           const std::vector<std::filesystem::path>& members, c10::Device device) {
  LoadedModel loaded = load_model(directory, device);
  Experiment& experiment = loaded.experiment;
  choose_tokenizer_of_bleu(experiment);
  const data::TokenizerPair tokenizers = loaded.tokenizers();
  const data::DevSet dev = data::read_dev_set(experiment.data.dev, experiment.data.max_length,
                                              tokenizers, experiment.data.protect);
  const auto validator = make_validator(experiment, dev, tokenizers);
  const train::ValidationMetric metric = experiment.training.validation.metric;
  const auto score = [&] { return train::score_of(validator->validate(*loaded.model), metric); };
  AverageCheck check;
  check.metric = metric == train::ValidationMetric::bleu ? "BLEU" : "negated loss";
  check.average = score();
  for (const std::filesystem::path& file : members) {
    storage::set_weights(*loaded.model, storage::load_tensors(file).tensors, file);
    const double found = score();
    if (!check.best_file.empty() && found <= check.best) continue;
    check.best = found;
    check.best_file = file;
  }
  return check;
}

}  // namespace attend::app
