#pragma once

#include "nn/embedding.h"

namespace attend::model {

/// Which words of `ids` [B, S] are left out, as [B, S] bool: each with `probability`, drawn as
/// nn/drawing.h says. `by` token: every occurrence by itself; type: all occurrences of a
/// word in its row together (Gal & Ghahramani 2016, Sec. 4.2). What frames a sentence (kBos, kEos,
/// kPad) is no word and stays.
[[nodiscard]] torch::Tensor words_left_out(const torch::Tensor& ids, double probability,
                                           MaskPer by);

/// The vectors of `ids` where `left_out` [B, S] is false, zeros elsewhere; words are multiplied by
/// 1 / (1 - probability), so that the mean of a vector over the draws is its own. Each distinct
/// word is looked up once.
[[nodiscard]] nn::IndexedRows embed_rest(const nn::Embedding& embedding, const torch::Tensor& ids,
                                         const torch::Tensor& left_out, double probability);

}  // namespace attend::model
