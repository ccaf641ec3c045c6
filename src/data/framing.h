#pragma once
#include <torch/types.h>

#include <vector>

#include "data/batch.h"
#include "text/vocabulary.h"

namespace attend::data {

/// Sentences without special symbols.
using Sentences = std::vector<std::vector<text::TokenId>>;

/// Sources as an encoder reads them: tokens, then kEos, padded.
[[nodiscard]] SentenceBatch frame_sources(Sentences sentences);

/// Targets as a decoder is taught them.
struct FramedTargets {
  SentenceBatch input;   // [B, T]: kBos, then tokens
  torch::Tensor output;  // [B, T] int64: tokens, then kEos, then kPad
};

/// A target may be empty: it is kBos alone, to be followed by kEos.
[[nodiscard]] FramedTargets frame_targets(Sentences sentences);

}  // namespace attend::data
