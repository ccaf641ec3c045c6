#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::metrics {

/// The longest n-gram that BLEU counts.
inline constexpr std::size_t kMaxOrder = 4;

/// Numbers the distinct tokens of one segment and its references, from 1.
class TokenNumbers {
 public:
  /// The numbers of `tokens`; the views must outlive this object.
  [[nodiscard]] std::vector<uint32_t> number(std::span<const std::string_view> tokens);

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

/// Up to kMaxOrder token numbers, filled up with zeros.
using Ngram = std::array<uint32_t, kMaxOrder>;

struct NgramCount {
  Ngram ngram{};
  int64_t count = 0;
};

/// The distinct n-grams of one order (1 .. kMaxOrder) with their counts, in ascending order.
[[nodiscard]] std::vector<NgramCount> count_ngrams(std::span<const uint32_t> tokens,
                                                   std::size_t order);

/// For each n-gram the larger of its two counts.
[[nodiscard]] std::vector<NgramCount> largest_counts(std::span<const NgramCount> a,
                                                     std::span<const NgramCount> b);

/// Sum over the n-grams of the smaller of the two counts ("clipped" matches of Papineni et al.
/// 2002).
[[nodiscard]] int64_t clipped_matches(std::span<const NgramCount> a, std::span<const NgramCount> b);

}  // namespace attend::metrics
