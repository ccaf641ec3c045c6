#pragma once
#include <algorithm>
#include <cstddef>
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

/// Consecutive examples of a corpus, up to `end`. An epoch has each of them `weight` times.
struct WeightedPart {
  int64_t end = 0;
  double weight = 1.0;
};

/// Examples with one or more sources and a target (a pair has one source) as token ids without end
/// symbols, numbered from 0 in insertion order. Takes 2 or 4 bytes per id, 16 bytes per example and
/// 4 bytes per side.
class ParallelCorpus {
 public:
  /// `vocabulary`: size of the larger vocabulary. `memory` holds all data. `sources`: number of
  /// sources per example.
  explicit ParallelCorpus(int64_t vocabulary,
                          const std::shared_ptr<Chunks>& memory = chunks_in_memory(),
                          std::size_t sources = 1)
      : sources_(sources), tokens_(vocabulary, memory), places_(memory), lengths_(memory) {}

  /// The position of an example.
  struct Place {
    uint64_t position = 0;  ///< of its first token; the sources come first, then the target
    int64_t line = 0;
  };
  /// The stored form of all examples.
  struct Arrays {
    TokenBlock tokens;
    ChunkedArray<Place> places;
    ChunkedArray<uint32_t> lengths;  ///< of all sides, example by example
  };
  /// A corpus from a token file; no examples can be added.
  ParallelCorpus(std::size_t sources, Arrays arrays)
      : sources_(sources),
        tokens_(std::move(arrays.tokens)),
        places_(std::move(arrays.places)),
        lengths_(std::move(arrays.lengths)) {}

  using Ids = std::span<const text::TokenId>;

  /// `line`: line number of the example, from 1, counted over all files.
  void add(std::span<const Ids> sources, Ids target, int64_t line);
  /// Adds a pair. Requires: sources() == 1.
  void add(Ids source, Ids target, int64_t line) { add(std::span(&source, 1), target, line); }

  /// Number of examples.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(places_.size()); }
  /// Number of examples that are lines of the text. Copies with marked terms follow them.
  [[nodiscard]] int64_t plain_size() const { return plain_size_.value_or(size()); }
  /// Makes all examples after line `last` copies.
  void end_plain_at(int64_t last) { plain_size_ = examples_up_to(last); }
  /// Number of examples up to line `line`.
  [[nodiscard]] int64_t examples_up_to(int64_t line) const;
  /// Number of sources per example.
  [[nodiscard]] std::size_t sources() const { return sources_; }

  /// Tokens of one side.
  [[nodiscard]] std::vector<text::TokenId> source(int64_t example, std::size_t side = 0) const;
  [[nodiscard]] std::vector<text::TokenId> target(int64_t example) const;
  [[nodiscard]] int64_t source_length(int64_t example, std::size_t side) const {
    return lengths_[first_length(example) + side];
  }
  /// Length of the longest source.
  [[nodiscard]] int64_t source_length(int64_t example) const {
    int64_t longest = 0;
    for (std::size_t side = 0; side < sources_; ++side)
      longest = std::max(longest, source_length(example, side));
    return longest;
  }
  [[nodiscard]] int64_t target_length(int64_t example) const {
    return lengths_[first_length(example) + sources_];
  }
  [[nodiscard]] int64_t line(int64_t example) const { return at(example).line; }

  /// The attention goals of all pairs (one source each); null if there are none.
  [[nodiscard]] const AttentionGoals* goals() const { return goals_ ? &*goals_ : nullptr; }
  /// Requires: `goals` has as many pairs as the corpus.
  void set_goals(AttentionGoals goals) { goals_.emplace(std::move(goals)); }

  /// Consecutive parts that cover all examples; empty if an epoch has every example once.
  [[nodiscard]] const std::vector<WeightedPart>& parts() const { return parts_; }
  void set_parts(std::vector<WeightedPart> parts) { parts_ = std::move(parts); }

  /// The stored arrays, for writing a token file.
  [[nodiscard]] const TokenBlock& token_block() const { return tokens_; }
  [[nodiscard]] const ChunkedArray<Place>& places() const { return places_; }
  [[nodiscard]] const ChunkedArray<uint32_t>& lengths() const { return lengths_; }

  /// Number of tokens on all sides.
  [[nodiscard]] int64_t tokens() const { return static_cast<int64_t>(tokens_.size()); }

 private:
  [[nodiscard]] const Place& at(int64_t example) const {
    const auto index = static_cast<uint64_t>(example);
    if (index >= places_.size()) throw std::out_of_range("ParallelCorpus: no such example");
    return places_[index];
  }
  /// Index in lengths_ of the first side of an example.
  [[nodiscard]] uint64_t first_length(int64_t example) const {
    const auto index = static_cast<uint64_t>(example);
    if (index >= places_.size()) throw std::out_of_range("ParallelCorpus: no such example");
    return index * (sources_ + 1);
  }
  [[nodiscard]] std::vector<text::TokenId> side(int64_t example, std::size_t side) const;

  std::size_t sources_;
  TokenBlock tokens_;
  ChunkedArray<Place> places_;
  ChunkedArray<uint32_t> lengths_;  // of all sides, example by example
  std::optional<AttentionGoals> goals_;
  std::vector<WeightedPart> parts_;
  std::optional<int64_t> plain_size_;  // unset: all
};

}  // namespace attend::data
