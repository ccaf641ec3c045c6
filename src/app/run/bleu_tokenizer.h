#pragma once
#include "app/config/experiment.h"

namespace attend::app {

/// If training.validation.tokenize is auto, replaces it by the tokenizer for the script of the
/// references (metrics::Writing), and logs it. Reads the beginning of the validation set's target,
/// or of the first training text if there is no validation set. Throws DataError if it cannot be
/// read, UsageError if the tokenizer that the config names needs something that is not installed.
void choose_tokenizer_of_bleu(Experiment& experiment);

}  // namespace attend::app
