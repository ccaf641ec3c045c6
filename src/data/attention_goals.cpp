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

/// The pieces of a word. clang 14 cannot compile the result of std::ranges::equal_range().
std::span<const PlacedPiece> pieces_of(const std::vector<PlacedPiece>& pieces, int64_t word) {
  const auto is_before = [](const PlacedPiece& a, const PlacedPiece& b) { return a.word < b.word; };
  const PlacedPiece any{static_cast<std::size_t>(word), 0};
  const auto [begin, end] = std::equal_range(pieces.begin(), pieces.end(), any, is_before);
  return {begin, end};
}

void write_shares(const std::vector<text::TokenId>& goal, float* row) {
  for (const text::TokenId piece : goal) row[piece] = 1.0F / static_cast<float>(goal.size());
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

std::vector<AttentionGoals::Goal> AttentionGoals::goals_of(int64_t pair,
                                                           int64_t target_length) const {
  std::vector<Goal> goals;
  uint64_t next = starts_[static_cast<uint64_t>(pair)];
  for (int64_t t = 0; t < target_length; ++t) {
    const auto count = static_cast<std::size_t>(entries_.read(next++, 1).front());
    goals.push_back(entries_.read(next, count));
    next += count;
  }
  return goals;
}

void AttentionGoals::fill(int64_t pair, int64_t target_length, float* matrix,
                          int64_t columns) const {
  for (const Goal& goal : goals_of(pair, target_length)) {
    write_shares(goal, matrix);
    matrix += columns;
  }
}

void AttentionGoals::fill(int64_t pair, int64_t target_length, const PieceOrigins& origins,
                          float* matrix, int64_t columns) const {
  const auto usual = goals_of(pair, target_length);
  for (const std::size_t t : origins.target) {
    const Goal& goal = usual.at(t);
    Goal sampled;
    for (std::size_t s = 0; s < origins.source.size(); ++s) {
      const auto origin = static_cast<text::TokenId>(origins.source[s]);
      if (std::ranges::find(goal, origin) != goal.end())
        sampled.push_back(static_cast<text::TokenId>(s));
    }
    write_shares(sampled, matrix);
    matrix += columns;
  }
}

}  // namespace attend::data
