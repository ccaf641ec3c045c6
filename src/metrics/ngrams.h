#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::metrics {

/// Numbers the distinct tokens of one segment and its references, from 1.
class TokenNumbers {
 public:
  /// The numbers of `tokens`; the views must outlive this object.
  [[nodiscard]] std::vector<uint32_t> number(std::span<const std::string_view> tokens);

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

/// Numbers the distinct n-grams of several texts, one order after the other: an n-gram is the
/// number of its first n-1 symbols and its last symbol, so every order costs the same.
class NgramNumbers {
 public:
  /// Texts of symbols: token numbers or code points. The order is 0 until the first next_order().
  explicit NgramNumbers(std::vector<std::vector<uint32_t>> texts);

  /// Goes from n-grams to (n+1)-grams.
  void next_order();

  /// How many n-grams of the present order text `index` has; 0 if it is shorter.
  [[nodiscard]] std::size_t total(std::size_t index) const { return ngrams_[index].size(); }

  /// How often each distinct n-gram of all texts occurs in text `index`.
  [[nodiscard]] std::vector<uint32_t> counts(std::size_t index) const;

  /// The clipped matches of every two texts of N, [N * N], of a text with itself too. Each text is
  /// counted once; two are compared in the time that it takes to walk through one.
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
  std::vector<std::vector<uint32_t>> ngrams_;  // by text: the number of the n-gram at each position
  std::size_t order_ = 0;
  uint32_t distinct_ = 1;
  // A hash table with open addressing; its size is a power of 2.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> numbers_;
};

/// Sum over the n-grams of the smaller of the two counts ("clipped" matches of Papineni et al.
/// 2002). Requires: counts of the same NgramNumbers and order.
[[nodiscard]] uint64_t clipped_matches(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace attend::metrics
