#pragma once
#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// Takes the tokenizers of the model that training.init_from names, if any: a fine-tuned model
/// keeps the vocabulary of the original. The keys of `tokenizer` become those of that model, except
/// `sampling`; warns about each that `set_at` (see config::Loaded) sets to something else. If the
/// config names tokenizers itself (tokenizer.model), they must have the same pieces.
///
/// Throws ModelFileError if there are no weights, if tokenizers are missing, damaged or have other
/// pieces; ConfigError if the model writes in the other direction.
void adopt_tokenizers(Experiment& experiment, const config::SetAt& set_at);

/// Gives `experiment` the keys of `tokenizer` of a run or model that continues, except `sampling`.
void keep_tokenizer(const Experiment& trained, Experiment& experiment);

}  // namespace attend::app
