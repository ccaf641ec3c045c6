#pragma once
#include <torch/types.h>

#include "data/batch.h"

namespace attend::model {

/// Which segment each word of a batch stands in. Segments lie between separators; the last one is
/// the question, and those before it are facts, which count from the one nearest to the question.
struct Segments {
  torch::Tensor words;     // [B, S] bool: neither padding nor separator nor the end
  torch::Tensor question;  // [B, S] bool: the words of the last segment
  torch::Tensor fact;      // [B, S] int64: 0 for the last fact; negative in the question
  torch::Tensor place;     // [B, S] int64: of a word in its segment, from 1
  torch::Tensor size;      // [B, S] int64: words of its segment
  torch::Tensor facts;     // [B] int64: how many there are

  /// `separator`: the id of the piece between segments. All on the device of the ids.
  Segments(const data::SentenceBatch& source, text::TokenId separator);

  /// By how much each feature of a word counts in its segment, [B, S, size of a vector]: with word
  /// j of J and feature k of d, (1 - j/J) - (k/d) (1 - 2 j/J). Sukhbaatar et al. (2015), arXiv
  /// 1503.08895, Sec. 4.1. Of the type of `like`.
  [[nodiscard]] torch::Tensor position_encoding(int64_t features, const torch::Tensor& like) const;
};

}  // namespace attend::model
