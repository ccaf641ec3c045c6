#pragma once
#include <torch/types.h>

#include "data/batch.h"

namespace attend::model {

/// The segment of each word of a batch. Segments lie between separators. The last one is the
/// question; those before it are facts, numbered back from the question.
struct Segments {
  torch::Tensor words;     // [B, S] bool: true if neither padding, separator, blank nor end symbol
  torch::Tensor question;  // [B, S] bool: the words of the last segment
  torch::Tensor fact;      // [B, S] int64: 0 for the last fact; negative in the question
  torch::Tensor place;     // [B, S] int64: index of a word in its segment, from 1
  torch::Tensor size;      // [B, S] int64: number of words in its segment
  torch::Tensor facts;     // [B] int64: number of facts

  /// `separator` is the id of the piece between segments, `blank` that of a lone blank, which is no
  /// word (negative: none). All tensors are on the device of the ids.
  Segments(const data::SentenceBatch& source, text::TokenId separator, text::TokenId blank);

  /// Weight of each feature of a word in its segment, [B, S, features]. For word j of J and feature
  /// k of d it is (1 - j/J) - (k/d) (1 - 2 j/J). Sukhbaatar et al. (2015), arXiv 1503.08895, Sec.
  /// 4.1. Same type as `like`.
  [[nodiscard]] torch::Tensor position_encoding(int64_t features, const torch::Tensor& like) const;
};

}  // namespace attend::model
