#include "data/attention_goals.h"

#include <algorithm>
#include <span>

namespace attend::data {
namespace {

/// A piece and its word.
struct PlacedPiece {
  std::size_t word = 0;
  text::TokenId piece = 0;
};

std::vector<PlacedPiece> by_word(const PieceWords& words) {
  std::vector<PlacedPiece> pieces;
  for (const std::size_t word : words)
    pieces.push_back({word, static_cast<text::TokenId>(pieces.size())});
  std::ranges::stable_sort(pieces, {}, &PlacedPiece::word);
  return pieces;
}

/// Not by std::ranges::equal_range(), whose result clang 14 cannot compile.
std::span<const PlacedPiece> pieces_of(const std::vector<PlacedPiece>& pieces, int64_t word) {
  const auto is_before = [](const PlacedPiece& a, const PlacedPiece& b) { return a.word < b.word; };
  const PlacedPiece any{static_cast<std::size_t>(word), 0};
  const auto [begin, end] = std::equal_range(pieces.begin(), pieces.end(), any, is_before);
  return {begin, end};
}

}  // namespace

void AttentionGoals::add(const align::Links& links, const PieceWords& source,
                         const PieceWords& target) {
  const auto source_pieces = by_word(source);
  const auto target_pieces = by_word(target);
  std::vector<std::vector<text::TokenId>> goals(target.size());
  for (const align::Link& link : links) {
    for (const PlacedPiece& t : pieces_of(target_pieces, link.target)) {
      auto& goal = goals[static_cast<std::size_t>(t.piece)];
      for (const PlacedPiece& s : pieces_of(source_pieces, link.source)) goal.push_back(s.piece);
    }
  }
  starts_.push_back(entries_.size());
  for (const auto& goal : goals) {
    const auto count = static_cast<text::TokenId>(goal.size());
    entries_.append({&count, 1});
    entries_.append(goal);
  }
}

void AttentionGoals::fill(int64_t pair, int64_t target_length, float* matrix,
                          int64_t columns) const {
  uint64_t next = starts_[static_cast<uint64_t>(pair)];
  for (int64_t t = 0; t < target_length; ++t, matrix += columns) {
    const auto count = static_cast<std::size_t>(entries_.read(next++, 1).front());
    for (const text::TokenId piece : entries_.read(next, count))
      matrix[piece] = 1.0F / static_cast<float>(count);
    next += count;
  }
}

}  // namespace attend::data
