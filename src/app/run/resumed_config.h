#pragma once
#include <filesystem>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// The experiment as it goes on in `directory`, whose tokenizers it keeps. Logs every key whose
/// value is another than in the run so far. Throws one ConfigError with all those that may not
/// change, because the saved state would not fit, each with its place in `config` or on the command
/// line: seed, tokenizer, model (other than dropout), lengths, segments and batches, optimizer,
/// what only a run that had it from the start can have (momentum, moving average), and how
/// validations are scored, with the search where that is by BLEU.
[[nodiscard]] Experiment resumed_experiment(const std::filesystem::path& directory,
                                            const std::filesystem::path& config,
                                            config::Loaded<Experiment> loaded);

}  // namespace attend::app
