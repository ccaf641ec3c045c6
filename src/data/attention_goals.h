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

/// The word that each piece of a line belongs to, from 0.
using PieceWords = std::vector<std::size_t>;

/// For each piece of a sampled pair, the index of the usual piece that holds its text.
struct PieceOrigins {
  std::vector<std::size_t> source;
  std::vector<std::size_t> target;
};

/// For each pair of a corpus where attention should lie (Chen et al. 2016, arXiv 1607.01628),
/// derived from links between words: the attention of a target piece belongs in equal shares to all
/// source pieces of the words that its word is linked to. A target piece whose word has no link, or
/// only links to words without pieces, has no goal; neither has kEos. Takes 2 bytes per target
/// piece and link between pieces (4 where a side may have 65,536 pieces), and 8 per pair.
class AttentionGoals {
 public:
  /// `max_length`: most pieces on a side. `memory` is where all of it lies.
  explicit AttentionGoals(int64_t max_length, std::shared_ptr<Chunks> memory = chunks_in_memory())
      : entries_(max_length + 1, memory), starts_(std::move(memory)) {}

  /// The goals of the next pair.
  void add(const align::Links& links, const PieceWords& source, const PieceWords& target);

  /// Pairs.
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(starts_.size()); }

  /// Writes the shares of a pair, which has `target_length` target pieces, into a matrix with a row
  /// of `columns` numbers for each of them. Requires: the matrix is zero, pair < size().
  void fill(int64_t pair, int64_t target_length, float* matrix, int64_t columns) const;
  /// The same for a pair cut into other pieces. A sampled piece takes the place of the usual piece
  /// that it comes from; the pieces of a word share their goal, so this gives the goals of the
  /// words. The matrix has a row for each of origins.target.
  void fill(int64_t pair, int64_t target_length, const PieceOrigins& origins, float* matrix,
            int64_t columns) const;

 private:
  using Goal = std::vector<text::TokenId>;  // source pieces
  [[nodiscard]] std::vector<Goal> goals_of(int64_t pair, int64_t target_length) const;

  TokenBlock entries_;             // per target piece: number of source pieces, then these
  ChunkedArray<uint64_t> starts_;  // of each pair in entries_
};

}  // namespace attend::data
