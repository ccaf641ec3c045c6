#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::test {

using Sentences = std::vector<std::vector<text::TokenId>>;

/// Sizes that all differ.
[[nodiscard]] model::ModelOptions small_options(const std::string& wiring);

/// Over vocabularies of 11 words, in float64, with random values for every parameter, not training.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> small_model(const model::ModelOptions& options);

/// Three sentences of several lengths, kEos at the end. No word twice in a sentence, so that a
/// word's vector stands for one position.
[[nodiscard]] const Sentences& small_sources();
/// Their translations, without kBos and kEos; the last one is empty.
[[nodiscard]] const Sentences& small_targets();

}  // namespace attend::test
