#include "metrics/ter_shifts.h"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <optional>
#include <vector>

#include "metrics/edit_distance.h"

namespace attend::metrics {
namespace {

constexpr std::size_t kMaxLength = 10;
constexpr int64_t kMaxDistance = 50;
constexpr int64_t kMaxCandidates = 1000;

// A sequence of words that occurs in the hypothesis and in the reference.
struct Match {
  std::size_t start = 0;      // in the hypothesis
  std::size_t reference = 0;  // in the reference
  std::size_t length = 0;
};

// Moves `length` words, the first at index `start`, to before the word at index `target`.
struct Shift {
  std::size_t start = 0;
  std::size_t length = 0;
  std::size_t target = 0;
};

using Words = std::vector<uint32_t>;

// As in sacreBLEU, if the target is inside the moved words, they move by target - start positions.
Words shifted(const Words& words, const Shift& shift) {
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t end = shift.start + shift.length;
  Words moved = words;
  const auto out = [&](std::size_t i) { return moved.begin() + static_cast<std::ptrdiff_t>(i); };
  if (shift.target < shift.start) {
    std::rotate(out(shift.target), out(shift.start), out(end));
  } else if (shift.target > end) {
    std::rotate(out(shift.start), out(end), out(shift.target));
  } else {
    const std::size_t behind = std::min(shift.length + shift.target, words.size());
    const auto next = std::copy(at(end), at(behind), out(shift.start));
    std::copy(at(shift.start), at(end), next);
  }
  return moved;
}

// For every i, the number of errors among the first i words.
std::vector<std::size_t> running_counts(const std::vector<bool>& errors) {
  std::vector<std::size_t> counts{0};
  for (const bool error : errors) counts.push_back(counts.back() + (error ? 1 : 0));
  return counts;
}

class ShiftSearch {
 public:
  ShiftSearch(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        distances_(reference, hypothesis.size()) {}

  int64_t run() {
    int64_t edits = distances_.set_base(words_);
    for (int64_t shifts = 0;; ++shifts) {
      const auto best = best_shift(edits);
      // At the limit of tried shifts, the search ends without applying the best shift found so far.
      if (tried_ >= kMaxCandidates || !best) return shifts + edits;
      words_ = shifted(words_, *best);
      edits = distances_.set_base(words_);
    }
  }

 private:
  // Returns the shift that saves the most edits, or nothing if none saves any. Of equally good
  // shifts, prefers the one with more words, then the leftmost start, then the leftmost target.
  std::optional<Shift> best_shift(int64_t edits) {
    best_.reset();
    best_edits_ = edits;
    alignment_ = distances_.align();
    hypothesis_errors_ = running_counts(alignment_.hypothesis_error);
    reference_errors_ = running_counts(alignment_.reference_error);
    for (std::size_t start = 0; start < words_.size(); ++start) {
      const std::size_t nearest = start > kMaxDistance ? start - kMaxDistance : 0;
      const std::size_t last = std::min(reference_.size(), start + kMaxDistance + 1);
      for (std::size_t r = nearest; r < last; ++r) {
        if (!try_matches_at(start, r)) return best_;
      }
    }
    return best_;
  }

  // Returns false once the limit of tried shifts is reached.
  bool try_matches_at(std::size_t start, std::size_t reference) {
    const std::size_t longest =
        std::min({kMaxLength, words_.size() - start, reference_.size() - reference});
    for (std::size_t length = 1; length <= longest; ++length) {
      if (words_[start + length - 1] != reference_[reference + length - 1]) return true;
      const Match match{start, reference, length};
      if (!is_worth_moving(match)) continue;
      try_targets(match);
      if (tried_ >= kMaxCandidates) return false;
    }
    return true;
  }

  // True if both sides of the match have errors and the target lies outside the moved words.
  [[nodiscard]] bool is_worth_moving(const Match& match) const {
    const auto errors = [&](const std::vector<std::size_t>& counts, std::size_t begin) {
      return counts[begin + match.length] - counts[begin];
    };
    if (errors(hypothesis_errors_, match.start) == 0) return false;
    if (errors(reference_errors_, match.reference) == 0) return false;
    const int64_t place = alignment_.position[match.reference];
    const auto start = static_cast<int64_t>(match.start);
    return place < start || place >= start + static_cast<int64_t>(match.length);
  }

  // Tries to move the words before the match in the reference, and after each of its words.
  void try_targets(const Match& match) {
    std::optional<std::size_t> previous;
    for (std::size_t i = 0; i <= match.length; ++i) {
      const std::size_t word = match.reference + i;  // the target follows the word before it
      const std::size_t target =
          word == 0 ? 0 : static_cast<std::size_t>(alignment_.position[word - 1] + 1);
      if (target == previous) continue;
      previous = target;
      try_shift({match.start, match.length, target});
    }
  }

  void try_shift(const Shift& shift) {
    ++tried_;
    const bool wins_ties = best_ && wins(shift, *best_);
    const int64_t limit = wins_ties ? best_edits_ : best_edits_ - 1;
    const std::size_t same = std::min(shift.start, shift.target);
    const auto edits = distances_.distance_within(shifted(words_, shift), same, limit);
    if (!edits) return;
    best_edits_ = *edits;
    best_ = shift;
  }

  static bool wins(const Shift& a, const Shift& b) {
    if (a.length != b.length) return a.length > b.length;
    if (a.start != b.start) return a.start < b.start;
    return a.target < b.target;
  }

  Words words_;
  std::span<const uint32_t> reference_;
  BandedEditDistance distances_;
  int64_t tried_ = 0;
  // State of the current search:
  WordAlignment alignment_;
  std::vector<std::size_t> hypothesis_errors_;
  std::vector<std::size_t> reference_errors_;
  std::optional<Shift> best_;
  int64_t best_edits_ = 0;
};

}  // namespace

int64_t translation_edits(std::span<const uint32_t> hypothesis,
                          std::span<const uint32_t> reference) {
  return ShiftSearch(hypothesis, reference).run();
}

}  // namespace attend::metrics
