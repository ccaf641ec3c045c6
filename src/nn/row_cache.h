#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <vector>

namespace attend::nn {

/// Cache with one row per number, for example a decoder's first projection of each word. Computes a
/// row on its first use and keeps it for ever. Thread-safe: if two threads compute the same new
/// row, one result is kept.
class RowCache {
 public:
  /// Creates an empty cache for numbers from 0 to count - 1.
  explicit RowCache(int64_t count) : places_(static_cast<std::size_t>(count), -1) {}

  /// numbers [K] int64, all different -> [K, D] float or double on the CPU.
  using Compute = std::function<torch::Tensor(const torch::Tensor& numbers)>;

  /// numbers [N] int64 on the CPU, N >= 1 -> [N, D]. Calls `compute` for the missing rows; its
  /// exceptions leave the cache unchanged. Requires: D and the type are always the same.
  [[nodiscard]] torch::Tensor rows(const torch::Tensor& numbers, const Compute& compute);

 private:
  using Numbers = std::vector<int64_t>;

  [[nodiscard]] int64_t place(int64_t number) const;
  [[nodiscard]] Numbers missing(Numbers numbers) const;
  void add(const Numbers& numbers, const torch::Tensor& computed);
  void make_room(const torch::Tensor& like, int64_t rows);

  mutable std::shared_mutex mutex_;  // guards the members below
  std::vector<int64_t> places_;      // row of each number in the table; negative: not computed
  torch::Tensor table_;              // [room, D]
  int64_t used_ = 0;
};

}  // namespace attend::nn
