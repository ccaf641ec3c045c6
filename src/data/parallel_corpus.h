#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/attention_goals.h"
#include "data/token_block.h"
#include "text/vocabulary.h"

namespace attend::data {

/// Sentence pairs as token ids, without end symbols, numbered from 0 in the order in which they
/// were added. The ids of all of them lie in one block, 2 or 4 bytes each, and 24 bytes more per
/// pair.
class ParallelCorpus {
 public:
  /// `vocabulary`: the larger of the two. `memory` is where all of it lies.
  explicit ParallelCorpus(int64_t vocabulary, std::shared_ptr<Chunks> memory = chunks_in_memory())
      : tokens_(vocabulary, memory), pairs_(std::move(memory)) {}

  /// `line`: line number of the pair, from 1, counted over all files.
  void add(std::span<const text::TokenId> source, std::span<const text::TokenId> target,
           int64_t line);

  /// Pairs.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(pairs_.size()); }
  [[nodiscard]] std::vector<text::TokenId> source(int64_t pair) const;
  [[nodiscard]] std::vector<text::TokenId> target(int64_t pair) const;
  [[nodiscard]] int64_t source_length(int64_t pair) const { return at(pair).source_length; }
  [[nodiscard]] int64_t target_length(int64_t pair) const { return at(pair).target_length; }
  [[nodiscard]] int64_t line(int64_t pair) const { return at(pair).line; }

  /// Where attention should lie for each pair; null: nothing is known of it.
  [[nodiscard]] const AttentionGoals* goals() const { return goals_ ? &*goals_ : nullptr; }
  /// Requires: as many pairs as the corpus has.
  void set_goals(AttentionGoals goals) { goals_.emplace(std::move(goals)); }

  /// Tokens of both sides together.
  [[nodiscard]] int64_t tokens() const { return static_cast<int64_t>(tokens_.size()); }

 private:
  struct Pair {
    uint64_t position = 0;  // of the source's first token; the target follows the source
    int64_t line = 0;
    uint32_t source_length = 0;
    uint32_t target_length = 0;
  };

  [[nodiscard]] const Pair& at(int64_t pair) const {
    const auto index = static_cast<uint64_t>(pair);
    if (index >= pairs_.size()) throw std::out_of_range("ParallelCorpus: no such pair");
    return pairs_[index];
  }

  TokenBlock tokens_;
  ChunkedArray<Pair> pairs_;
  std::optional<AttentionGoals> goals_;
};

}  // namespace attend::data
