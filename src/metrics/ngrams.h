#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::metrics {

/// Assigns numbers (from 1) to the distinct tokens of one segment and its references.
class TokenNumbers {
 public:
  /// Returns the number of each of `tokens`. The views must outlive this object.
  [[nodiscard]] std::vector<uint32_t> number(std::span<const std::string_view> tokens);

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

/// Assigns numbers to the distinct n-grams of several texts, one order after another. An n-gram is
/// stored as a pair, the number of its first n-1 symbols and its last symbol, so every order costs
/// the same.
class NgramNumbers {
 public:
  /// `texts`: token numbers or code points. The order of the n-grams is 0 until next_order().
  explicit NgramNumbers(std::vector<std::vector<uint32_t>> texts);

  /// Increases the order by 1: replaces all n-grams by (n+1)-grams.
  void next_order();

  /// The number of n-grams of the current order in text `index`; 0 if the text has fewer symbols.
  [[nodiscard]] std::size_t total(std::size_t index) const { return ngrams_[index].size(); }

  /// Returns for each distinct n-gram of all texts how often it occurs in text `index`.
  [[nodiscard]] std::vector<uint32_t> counts(std::size_t index) const;

  /// The clipped matches of all pairs of the N texts, including each text with itself: [N * N].
  /// Counts n-grams once per text; comparing two texts takes time linear in their length.
  [[nodiscard]] std::vector<uint32_t> matches_of_all() const;

 private:
  /// An n-gram and how often it occurs.
  struct Count {
    uint32_t ngram = 0;
    uint32_t times = 0;
  };

  uint32_t number_of(uint64_t key);
  /// The distinct n-grams of text `index`.
  [[nodiscard]] std::vector<Count> distinct(std::size_t index) const;

  std::vector<std::vector<uint32_t>> symbols_;
  std::vector<std::vector<uint32_t>> ngrams_;  // for each text, the n-gram number at each position
  std::size_t order_ = 0;
  uint32_t distinct_ = 1;
  // A hash table with open addressing; its size is a power of 2.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> numbers_;
};

/// Adds up, over all n-grams, the smaller of the two counts ("clipped" matches, Papineni et al.
/// 2002). Requires: both counts come from the same NgramNumbers and order.
[[nodiscard]] uint64_t clipped_matches(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace attend::metrics
