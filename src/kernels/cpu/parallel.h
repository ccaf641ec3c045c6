#pragma once
#include <omp.h>

#include <cstdint>
#include <exception>

namespace attend::kernels {

/// Carries the first exception out of a parallel region, where it would end the program.
class FirstException {
 public:
  /// Calls work() and keeps its exception.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
#pragma omp critical(attend_first_exception)
      if (exception_ == nullptr) exception_ = std::current_exception();
    }
  }
  /// Throws the kept exception, if any; call after the region.
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
};

/// Calls work(begin, end) on consecutive parts of [0, count), each of length `grain` except for a
/// shorter last one. Uses the OpenMP threads of LibTorch and BLAS, or only the calling thread if
/// count <= grain or inside another parallel region. Throws the first exception of `work` after all
/// parts are done. Requires: the result does not depend on where the parts begin.
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

/// parallel_ranges() with one part for each thread.
template <class Work>
void parallel_shares(int64_t count, const Work& work) {
  if (count == 0) return;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  parallel_ranges(count, (count + threads - 1) / threads, work);
}

}  // namespace attend::kernels
