#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "align/links.h"
#include "data/token_block.h"

namespace attend::data {

/// For each piece of a line, the index (from 0) of its word.
using PieceWords = std::vector<std::size_t>;

/// For each sampled piece, the index of the usual segmentation's piece that contains its text.
struct PieceOrigins {
  std::vector<std::size_t> source;
  std::vector<std::size_t> target;
};

/// The attention that each pair of a corpus should have (Chen et al. 2016, arXiv 1607.01628),
/// derived from word links. A target piece attends in equal shares to all source pieces of the
/// words that its own word is linked to. A target piece has no goal if its word has no link or only
/// links to words without pieces; kEos has none either. Takes 2 bytes per target piece and per link
/// between pieces (4 if a side may have 65,536 pieces), and 8 bytes per pair.
class AttentionGoals {
 public:
  /// `max_length`: the most pieces that a side may have. `memory` holds all data.
  explicit AttentionGoals(int64_t max_length, std::shared_ptr<Chunks> memory = chunks_in_memory())
      : entries_(max_length + 1, memory), starts_(std::move(memory)) {}

  /// Adds the goals of the next pair.
  void add(const align::Links& links, const PieceWords& source, const PieceWords& target);

  /// Number of pairs.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(starts_.size()); }

  /// Writes the attention shares of pair number `pair` into `matrix` [target_length, columns].
  /// Requires: the matrix is zero, the pair has `target_length` target pieces, pair < size().
  void fill(int64_t pair, int64_t target_length, float* matrix, int64_t columns) const;
  /// Like fill() above, for sampled pieces; `matrix` is [origins.target.size(), columns]. A sampled
  /// piece takes the goal of the usual piece that it comes from. Since all pieces of a word share
  /// one goal, the result follows the word links.
  void fill(int64_t pair, int64_t target_length, const PieceOrigins& origins, float* matrix,
            int64_t columns) const;

 private:
  using Goal = std::vector<text::TokenId>;  // source pieces
  [[nodiscard]] std::vector<Goal> goals_of(int64_t pair, int64_t target_length) const;

  TokenBlock entries_;             // per target piece: number of source pieces, then the pieces
  ChunkedArray<uint64_t> starts_;  // where each pair begins in entries_
};

}  // namespace attend::data
