#pragma once
#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// If training.init_from names a model, adopts its tokenizers, because a fine-tuned model keeps the
/// vocabulary of the original. Copies the `tokenizer` keys of that model, except `sampling`, and
/// warns about each key that the config sets (`set_at`, see config::Loaded) to another value. If
/// the config names tokenizers itself (tokenizer.model), they must have the same pieces.
///
/// Throws ModelFileError if there are no weights, if tokenizers are missing, damaged or have other
/// pieces; ConfigError if the model writes in the other direction.
void adopt_tokenizers(Experiment& experiment, const config::SetAt& set_at);

/// Copies the `tokenizer` keys, except `sampling`, from `trained`, which training continues.
void keep_tokenizer(const Experiment& trained, Experiment& experiment);

}  // namespace attend::app
