#pragma once
#include <memory>
#include <vector>

#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::test {

using Sentences = std::vector<std::vector<text::TokenId>>;

/// Options whose sizes all differ.
[[nodiscard]] model::ModelOptions small_options(model::WiringKind wiring);

/// A model over vocabularies of 11 words, in float64, with random parameters, in evaluation mode.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> small_model(const model::ModelOptions& options);

/// Three sentences of different lengths with kEos at the end. No sentence repeats a word, so each
/// word's vector belongs to one position.
[[nodiscard]] const Sentences& small_sources();
/// Their translations, without kBos and kEos; the last one is empty.
[[nodiscard]] const Sentences& small_targets();

}  // namespace attend::test
