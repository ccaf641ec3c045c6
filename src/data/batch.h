#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::data {

/// Sentences of one side as padded ids.
struct SentenceBatch {
  torch::Tensor ids;      // [B, S] int64, kPad after the end
  torch::Tensor lengths;  // [B] int64, on the CPU; every length >= 1
  torch::Tensor mask;     // [B, S] bool, true = real token

  [[nodiscard]] int64_t size() const { return ids.size(0); }
  [[nodiscard]] SentenceBatch to(torch::Device device) const;
};

/// Sentences without special symbols.
using Sentences = std::vector<std::vector<text::TokenId>>;

/// Sources as an encoder reads them: tokens, then kEos, padded.
[[nodiscard]] SentenceBatch frame_sources(Sentences sentences);

/// Targets as a decoder is taught them.
struct FramedTargets {
  SentenceBatch input;   // [B, T]: kBos, then tokens
  torch::Tensor output;  // [B, T] int64: tokens, then kEos, then kPad

  [[nodiscard]] FramedTargets to(torch::Device device) const;
};

/// A target may be empty: it is kBos alone, to be followed by kEos.
[[nodiscard]] FramedTargets frame_targets(Sentences sentences);

/// Pads `sentences` as they are. Throws std::logic_error if one is empty.
[[nodiscard]] SentenceBatch pad(std::span<const std::vector<text::TokenId>> sentences);

/// One training step's worth of examples.
struct Batch {
  std::vector<SentenceBatch> sources;  // one per source side, [B, S]: tokens, then kEos
  SentenceBatch target_input;          // [B, T]: kBos, then tokens
  torch::Tensor target_output;         // [B, T] int64: tokens, then kEos, then kPad
  torch::Tensor goals;  // [B, T, S] float: shares of attention, each row summing to 1 or, where
                        // nothing is known, 0; undefined if the corpus has none
  std::vector<int64_t> lines;  // line number (from 1, counted over all files) of each pair
  int64_t source_tokens = 0;   // real tokens of all sources, kEos included
  int64_t target_tokens = 0;   // real tokens to predict, kEos included

  [[nodiscard]] int64_t size() const { return target_input.size(); }
  /// The source of pairs. Throws std::logic_error if there are several, which a reader of one must
  /// not overlook.
  [[nodiscard]] const SentenceBatch& source() const;
  /// What a model reads: the sources one after the other, each with its end symbol; a single one as
  /// it is.
  [[nodiscard]] SentenceBatch reading() const;
  [[nodiscard]] Batch to(torch::Device device) const;
};

/// The batch, and after it the same again: rows n and B + n are equal. Its tokens count twice.
[[nodiscard]] Batch twice(const Batch& batch);

}  // namespace attend::data
