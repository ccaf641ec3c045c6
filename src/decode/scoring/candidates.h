#pragma once
#include <torch/types.h>

#include <vector>

#include "nn/own_columns.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// The candidates of each sentence of a batch, ascending, special symbols first.
using CandidateLists = std::vector<std::vector<text::TokenId>>;

/// The tokens that are scored for a batch of sentences.
struct Candidates {
  torch::Tensor ids;      // [U] int64: the union, ascending, special symbols first
  torch::Tensor columns;  // [B, W] int32: the places of each sentence's candidates in `ids`, in
                          // order, padded with -1
};

[[nodiscard]] Candidates join_candidates(const CandidateLists& own);

/// Selects each sentence's columns from logits over `ids`. The rows must be one per sentence.
[[nodiscard]] nn::OwnColumns own_columns(const Candidates& candidates, torch::Device device);

}  // namespace attend::decode
