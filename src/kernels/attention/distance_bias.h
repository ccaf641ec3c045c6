#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/compiler.h"

namespace attend::kernels {

/// Numbers b that are added to energies by how far a key's position s is from the query's own p:
/// b[R + d] with d = s - p limited to +-R, for each head its own.
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

/// A number for every distance between T queries in a row and S positions, so that those of one
/// query lie side by side. Nothing where there is no bias.
template <class T>
class DistanceLine {
 public:
  /// `first`: position of the first query.
  DistanceLine(const DistanceBias<T>& bias, int64_t queries, int64_t positions, int64_t first)
      : bias_(bias), queries_(queries), lowest_(1 - first - queries) {
    const int64_t distances = std::max(queries + positions - 1, int64_t{0});
    if (bias.values != nullptr) numbers_.resize(static_cast<std::size_t>(distances));
  }

  /// [S], those that query t sees of the positions in order.
  ATTEND_ALWAYS_INLINE T* of_query(int64_t t) { return numbers_.data() + (queries_ - 1 - t); }

  /// Makes them the bias of a head.
  ATTEND_ALWAYS_INLINE void spread(int64_t head) {
    const T* const bias = bias_.of_head(head);
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = bias[place(i)];
  }
  ATTEND_ALWAYS_INLINE void clear() { std::fill(numbers_.begin(), numbers_.end(), T(0)); }
  /// The sum of those that share a bias, for each: `sums` [2 R + 1] is overwritten.
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
  int64_t lowest_;  // of the distances
  std::vector<T> numbers_;
};

}  // namespace attend::kernels
