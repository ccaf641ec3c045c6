#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace attend::train {

/// Slices that cover a flat buffer. On the CPU they are so small that one slice of a few buffers
/// fits the cache of a core while all operations of a step run over it.
class Slices {
 public:
  explicit Slices(const torch::Tensor& buffer);

  [[nodiscard]] int64_t count() const { return (total_ + size_ - 1) / size_; }
  /// Slice number `slice` of a buffer of the same length.
  [[nodiscard]] torch::Tensor of(const torch::Tensor& buffer, int64_t slice) const;
  /// The start of a slice; begin(count()) is the end of the last one.
  [[nodiscard]] int64_t begin(int64_t slice) const;

 private:
  int64_t total_;
  int64_t size_;
};

/// Calls `work(slice)` for each slice, in parallel. The threads start once rather than once per
/// operation: if other programs use the cores, starting them costs more than an operation.
void for_each_slice(const Slices& slices, const std::function<void(int64_t)>& work);

}  // namespace attend::train
