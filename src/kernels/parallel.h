#pragma once
#include <omp.h>

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

/// The same in one part for each thread.
template <class Work>
void parallel_shares(int64_t count, const Work& work) {
  if (count == 0) return;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  parallel_ranges(count, (count + threads - 1) / threads, work);
}

}  // namespace attend::kernels
