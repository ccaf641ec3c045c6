#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "data/batch.h"

namespace attend::decode {

/// Given translations as the decoder reads and predicts them.
struct Teacher {
  data::SentenceBatch input;  // [B, T]: kBos, then tokens
  torch::Tensor output;       // [B, T] int64: tokens, then kEos, then kPad
};

/// `targets` without kBos and kEos; may be empty.
[[nodiscard]] Teacher teach(std::span<const std::vector<text::TokenId>> targets,
                            torch::Device device);

}  // namespace attend::decode
