#pragma once
#include <cstdint>

namespace attend::kernels {

/// Calls work(begin, end) on parts of [0, count) that cover it, on the threads of the OpenMP pool
/// that LibTorch and BLAS use too; on the calling thread alone where count <= grain or inside
/// another parallel region. Requires: work does not throw, and its result does not depend on where
/// the parts begin.
template <class Work>
void parallel_ranges(int64_t count, int64_t grain, const Work& work) {
  const int64_t parts = (count + grain - 1) / grain;
  if (parts <= 1) {
    if (count > 0) work(int64_t{0}, count);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = part * grain;
    work(begin, begin + grain < count ? begin + grain : count);
  }
}

}  // namespace attend::kernels
