#include "train/update/slices.h"

#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <algorithm>

namespace attend::train {
namespace {

constexpr int64_t kSlice = int64_t{1} << 15;  // elements

}  // namespace

Slices::Slices(const torch::Tensor& buffer)
    : total_(buffer.numel()), size_(buffer.is_cpu() ? kSlice : std::max<int64_t>(total_, 1)) {}

torch::Tensor Slices::of(const torch::Tensor& buffer, int64_t slice) const {
  return buffer.narrow(0, begin(slice), begin(slice + 1) - begin(slice));
}

int64_t Slices::begin(int64_t slice) const {
  return std::min(slice * size_, total_);
}

void for_each_slice(const Slices& slices, const std::function<void(int64_t)>& work) {
  at::parallel_for(0, slices.count(), /*grain_size=*/1, [&](int64_t begin, int64_t end) {
    const torch::NoGradGuard no_grad;  // the setting is per thread
    for (int64_t slice = begin; slice < end; ++slice) work(slice);
  });
}

}  // namespace attend::train
