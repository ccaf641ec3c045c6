#pragma once
#include <omp.h>

#include <cstdint>
#include <exception>

namespace attend::kernels {

/// The first exception of several threads: one that left a parallel region would end the program.
class FirstException {
 public:
  /// Calls work() and keeps what it throws.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
#pragma omp critical(attend_first_exception)
      if (exception_ == nullptr) exception_ = std::current_exception();
    }
  }
  /// After the region: throws what was kept.
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
};

/// Calls work(begin, end) on parts of [0, count) that cover it, each `grain` long but the last, on
/// the threads of the OpenMP pool that LibTorch and BLAS use too; on the calling thread alone where
/// count <= grain or inside another parallel region. Throws what work throws, when all parts are
/// done. Requires: the result does not depend on where the parts begin.
template <class Work>
void parallel_ranges(int64_t count, int64_t grain, const Work& work) {
  const int64_t parts = (count + grain - 1) / grain;
  if (parts <= 1) {
    if (count > 0) work(int64_t{0}, count);
    return;
  }
  FirstException exception;
#pragma omp parallel for schedule(static)
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = part * grain;
    exception.guard([&] { work(begin, begin + grain < count ? begin + grain : count); });
  }
  exception.rethrow();
}

/// The same in one part for each thread.
template <class Work>
void parallel_shares(int64_t count, const Work& work) {
  if (count == 0) return;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  parallel_ranges(count, (count + threads - 1) / threads, work);
}

}  // namespace attend::kernels
