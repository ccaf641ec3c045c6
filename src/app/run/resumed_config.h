#pragma once
#include <filesystem>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// The experiment of a run that is resumed in `directory`, with the tokenizers there. Logs every
/// changed key. Throws one ConfigError with all changed keys that the saved state depends on, each
/// with its place in `config` or on the command line: seed, tokenizer, model (except dropout),
/// lengths, segments, batches, optimizer, statistics that must be collected from the start
/// (momentum, moving average), and the scoring of validations, with the search if that is by BLEU.
[[nodiscard]] Experiment resumed_experiment(const std::filesystem::path& directory,
                                            const std::filesystem::path& config,
                                            config::Loaded<Experiment> loaded);

}  // namespace attend::app
