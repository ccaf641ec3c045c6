#pragma once

#include "model/options.h"
#include "nn/embedding.h"

namespace attend::model {

/// Draws the words of `ids` [B, S] to drop, true = dropped, [B, S] bool. Each is dropped with
/// `probability`, drawn as nn/drawing.h describes. `by` token: each occurrence independently; `by`
/// type: all occurrences of a word in its row together (Gal & Ghahramani 2016, Sec. 4.2). kBos,
/// kEos and kPad are not words and are never dropped.
[[nodiscard]] torch::Tensor draw_dropped_words(const torch::Tensor& ids, double probability,
                                               MaskPer by);

/// The vectors of `ids` with zeros where `dropped` [B, S] is true. Kept words are scaled by 1 / (1
/// - probability), so that the expected vector is unchanged. Each distinct word is looked up once.
[[nodiscard]] nn::IndexedRows embed_kept(const nn::Embedding& embedding, const torch::Tensor& ids,
                                         const torch::Tensor& dropped, double probability);

}  // namespace attend::model
