#pragma once
#include <cstdint>

#include "data/dev_set.h"
#include "train/options.h"

namespace attend::app {

/// Warns about a training text of fewer pairs than a model of translation needs.
void warn_of_small_corpus(int64_t pairs);

/// Warns about each side of the validation set that has about one word per line (metrics::Writing),
/// and about references that BLEU's tokenizer leaves in one piece. Requires: `options.tokenize` is
/// not automatic.
void warn_of_unspaced_text(const data::DevSet& dev, const train::ValidationOptions& options);

}  // namespace attend::app
