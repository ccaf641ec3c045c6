#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <vector>

namespace attend::nn {

/// Rows that belong to whole numbers, such as what a decoder's first layer makes of a word: each is
/// computed when it is first asked for, and kept: in the end as many as there are numbers. For
/// several threads at once; two that ask for a new row at the same moment may both compute it, and
/// one of the two is kept.
class RowCache {
 public:
  /// For numbers from 0 to count - 1.
  explicit RowCache(int64_t count) : places_(static_cast<std::size_t>(count), -1) {}

  /// numbers [K] int64, none twice -> [K, D] float or double on the CPU.
  using Compute = std::function<torch::Tensor(const torch::Tensor& numbers)>;

  /// numbers [N] int64 on the CPU, N >= 1 -> [N, D], of which `compute` makes what is not there
  /// yet. D and type are always the same. What `compute` throws leaves the cache as it was.
  [[nodiscard]] torch::Tensor rows(const torch::Tensor& numbers, const Compute& compute);

 private:
  using Numbers = std::vector<int64_t>;

  [[nodiscard]] int64_t place(int64_t number) const;
  [[nodiscard]] Numbers missing(Numbers numbers) const;
  void add(const Numbers& numbers, const torch::Tensor& computed);
  void make_room(const torch::Tensor& like, int64_t rows);

  mutable std::shared_mutex mutex_;  // guards all below
  std::vector<int64_t> places_;      // row of each number in the table; negative: none yet
  torch::Tensor table_;              // [room, D]
  int64_t used_ = 0;
};

}  // namespace attend::nn
