#pragma once
#include <torch/types.h>

#include <vector>

#include "app/explain/attention_sites.h"
#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::app::test {

using Tokens = std::vector<text::TokenId>;

/// A second implementation of replaced weights, for a decoder with one attention and one head whose
/// weights over a single position are 1: the prediction at target position `t` if the attention
/// sees one position that holds the values mixed by `weights`.
[[nodiscard]] model::Predicted predicted_with(const model::Seq2Seq& model, const Tokens& source,
                                              const Tokens& target, std::size_t t,
                                              const std::vector<double>& weights);
/// The scores [V] of predicted_with().
[[nodiscard]] torch::Tensor scores_with(const model::Seq2Seq& model, const Tokens& source,
                                        const Tokens& target, std::size_t t,
                                        const std::vector<double>& weights);

/// The weights of the only head of `model` at target position `t`.
[[nodiscard]] std::vector<double> own_weights(const model::Seq2Seq& model, const Tokens& source,
                                              const Tokens& target, std::size_t t);

}  // namespace attend::app::test
