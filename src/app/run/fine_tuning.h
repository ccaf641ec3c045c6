#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// Reads the config of a run that fine-tunes the model in `directory`. It is the config of that
/// model without its texts, links and token cache, changed by `file` (none for an empty name) and
/// `overrides`; training.init_from is `directory`. Keys that these do not set fit a short run:
///   - learning_rate: a tenth of the model's rate, or that rate if the model was fine-tuned itself;
///   - schedule: constant, without warm-up and decay;
///   - without a validation set: no patience, snapshots and averages.
/// The moving average (ema) stays as it is, because its decay begins small and grows with the
/// updates (train::update_moving_average).
///
/// Throws ModelFileError if `directory` is no model folder; one ConfigError with everything wrong
/// in the config, such as all keys of model and tokenizer that differ from those of the model.
[[nodiscard]] config::Loaded<Experiment> load_fine_tuning(const std::filesystem::path& directory,
                                                          const std::filesystem::path& file,
                                                          std::span<const std::string> overrides);

/// Logs which keys load_fine_tuning() set for a short run.
void log_short_run(const std::filesystem::path& directory,
                   const config::Loaded<Experiment>& loaded);

}  // namespace attend::app
