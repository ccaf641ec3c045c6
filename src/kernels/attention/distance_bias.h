#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/compiler.h"

namespace attend::kernels {

/// Relative position bias: adds b[R + d] to an energy, for the distance d = s - p between the key's
/// position s and the query's position p, limited to +-R. Each head has its own b.
template <class T>
struct DistanceBias {
  const T* values = nullptr;  // [h, 2 R + 1]; null: nothing is added
  int64_t reach = 0;          // R

  [[nodiscard]] int64_t count() const { return 2 * reach + 1; }
  [[nodiscard]] int64_t place(int64_t distance) const {
    return reach + std::clamp(distance, -reach, reach);
  }
  [[nodiscard]] const T* of_head(int64_t head) const { return values + head * count(); }
};

/// One number for each distance between T consecutive queries and S positions, in an order in which
/// the numbers of one query are contiguous. Empty without a bias.
template <class T>
class DistanceLine {
 public:
  /// `first`: position of the first query.
  DistanceLine(const DistanceBias<T>& bias, int64_t queries, int64_t positions, int64_t first)
      : bias_(bias), queries_(queries), lowest_(1 - first - queries) {
    const int64_t distances = std::max(queries + positions - 1, int64_t{0});
    if (bias.values != nullptr) numbers_.resize(static_cast<std::size_t>(distances));
  }

  /// [S] The numbers of query t, by position.
  ATTEND_ALWAYS_INLINE T* of_query(int64_t t) { return numbers_.data() + (queries_ - 1 - t); }

  /// Sets each number to the bias of `head` for its distance.
  ATTEND_ALWAYS_INLINE void spread(int64_t head) {
    const T* const bias = bias_.of_head(head);
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = bias[place(i)];
  }
  ATTEND_ALWAYS_INLINE void clear() { std::fill(numbers_.begin(), numbers_.end(), T(0)); }
  /// Overwrites `sums` [2 R + 1]: for each entry of the bias, the sum of the numbers that share it.
  ATTEND_ALWAYS_INLINE void gather(T* sums) const {
    std::fill_n(sums, bias_.count(), T(0));
    for (std::size_t i = 0; i < numbers_.size(); ++i) sums[place(i)] += numbers_[i];
  }

 private:
  [[nodiscard]] int64_t place(std::size_t i) const {
    return bias_.place(lowest_ + static_cast<int64_t>(i));
  }

  DistanceBias<T> bias_;
  int64_t queries_;
  int64_t lowest_;  // smallest distance
  std::vector<T> numbers_;
};

}  // namespace attend::kernels
