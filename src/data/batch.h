#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace attend::data {

/// Sentences of one side as padded ids.
struct SentenceBatch {
  torch::Tensor ids;                  // [B, S] int64, kPad after the end
  torch::Tensor lengths;              // [B] int64, on the CPU; every length >= 1
  torch::Tensor mask;                 // [B, S] bool, false = padding
  torch::Tensor device_lengths = {};  // [B]: `lengths` on the device of `ids`; undefined: not sent

  [[nodiscard]] int64_t size() const { return ids.size(0); }
  /// The lengths on the device of `ids`.
  [[nodiscard]] torch::Tensor lengths_there() const;
  [[nodiscard]] SentenceBatch to(torch::Device device) const;
};

/// Sentences without special symbols.
using Sentences = std::vector<std::vector<text::TokenId>>;

/// Encoder input: tokens, then kEos, padded.
[[nodiscard]] SentenceBatch frame_sources(Sentences sentences);

/// Decoder input and expected output for teacher forcing.
struct FramedTargets {
  SentenceBatch input;   // [B, T]: kBos, then tokens
  torch::Tensor output;  // [B, T] int64: tokens, then kEos, then kPad

  [[nodiscard]] FramedTargets to(torch::Device device) const;
};

/// Targets may be empty: the input is then kBos alone and the output kEos.
[[nodiscard]] FramedTargets frame_targets(Sentences sentences);

/// Pads `sentences` without adding symbols. Throws std::logic_error if one is empty.
[[nodiscard]] SentenceBatch pad(std::span<const std::vector<text::TokenId>> sentences);

/// The examples of one forward pass.
struct Batch {
  std::vector<SentenceBatch> sources;  // one per source side, [B, S]: tokens, then kEos
  SentenceBatch target_input;          // [B, T]: kBos, then tokens
  torch::Tensor target_output;         // [B, T] int64: tokens, then kEos, then kPad
  /// [N] int64: flat indices in [B * T] of the N target positions without padding. If undefined,
  /// use the mask.
  torch::Tensor target_places = {};
  // Target attention for guided alignment, [B, T, S] float; a row sums to 1, or to 0 without a
  // target. May be undefined.
  torch::Tensor goals;
  std::vector<int64_t> lines;  // line number (from 1, counted over all files) of each pair
  int64_t source_tokens = 0;   // tokens of all sources, with kEos, without padding
  int64_t target_tokens = 0;   // tokens to predict, with kEos, without padding

  [[nodiscard]] int64_t size() const { return target_input.size(); }
  /// The only source. Throws std::logic_error if there are several.
  [[nodiscard]] const SentenceBatch& source() const;
  /// Joins the sources of each row, one after another, each with its end symbol. A single source is
  /// returned unchanged.
  [[nodiscard]] SentenceBatch reading() const;
  /// To a GPU, all integers go in one asynchronous copy (sent_to()).
  [[nodiscard]] Batch to(torch::Device device) const;
  /// Like to(), but recomputes the masks and `target_places` from the lengths, as to() does for a
  /// GPU.
  [[nodiscard]] Batch sent_to(torch::Device device) const;
};

/// Repeats the batch: rows n and B + n are equal, and token counts double.
[[nodiscard]] Batch twice(const Batch& batch);

}  // namespace attend::data
