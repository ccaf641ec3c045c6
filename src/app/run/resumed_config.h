#pragma once
#include <filesystem>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// The experiment of a run that is resumed in `directory`, with the tokenizers in that folder. Logs
/// every changed key. Throws one ConfigError that lists all changed keys on which the saved state
/// depends, each with its position in `config` or on the command line. The state depends on the
/// seed, tokenizer, model (except dropout), lengths, segments, case and direction of the text,
/// protected parts, batches, accumulation, optimizer, statistics that must be collected from the
/// start (momentum, moving average), the scoring of validations, and the search if validations are
/// scored by BLEU.
[[nodiscard]] Experiment resumed_experiment(const std::filesystem::path& directory,
                                            const std::filesystem::path& config,
                                            config::Loaded<Experiment> loaded);

}  // namespace attend::app
