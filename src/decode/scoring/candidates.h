#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/own_columns.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// The ascending candidates of each sentence of a batch, the special symbols first.
using CandidateLists = std::vector<std::vector<text::TokenId>>;

/// The tokens that are scored of a batch of sentences.
struct Candidates {
  torch::Tensor ids;      // [U] int64, ascending, the special symbols first: of all together
  torch::Tensor columns;  // [B, W] int32: where each sentence's own are in `ids`, in their order,
                          // and -1 behind them
};

[[nodiscard]] Candidates join_candidates(const CandidateLists& own);

/// Of logits of `ids` those of each sentence, for rows that are one per sentence.
[[nodiscard]] nn::OwnColumns own_columns(const Candidates& candidates, torch::Device device);

}  // namespace attend::decode
