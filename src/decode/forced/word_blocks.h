#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "model/seq2seq.h"

namespace attend::decode {

/// Words whose scores over the vocabulary are computed together; bounds the memory of long batches.
inline constexpr int64_t kWordsAtOnce = 2048;

/// Calls `take` with the logits [W', V] of rows `first` to `first` + W' of `outputs` [W, D], the
/// outputs of a model's decode(), in order and at most kWordsAtOnce rows at a time.
void for_each_block(const model::Seq2Seq& model, const torch::Tensor& outputs,
                    const std::function<void(const torch::Tensor& logits, int64_t first)>& take);

}  // namespace attend::decode
