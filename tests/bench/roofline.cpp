// The highest rate of matrix products on this machine, as one JSON line: the best of ten products
// of 2048 x 2048 matrices, in float and in bf16, the right one laid out before.
//   roofline [THREADS]        default: 1
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/panels.h"
#include "numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSize = 2048;
constexpr int64_t kElements = kSize * kSize;

template <class Work>
double gflops(const Work& product) {
  constexpr int kTries = 10;
  product();  // starts threads, generates code
  double seconds = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    product();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, passed.count());
  }
  return 2e-9 * kSize * kSize * kSize / seconds;
}

double measure(Precision precision) {
  const std::vector<float> a = numbers(kElements);
  std::vector<float> c(a.size());
  const Matrix<const float> left{a.data(), kSize, kSize, kSize};
  const Matrix<float> result{c.data(), kSize, kSize, kSize};
  const Operand<float> right(left, /*transposed=*/false, precision);
  return gflops([&] { right.multiply(left, result, Into::overwrite); });
}

double measure_f32() {
  return measure(Precision::full);
}

/// 0 where bf16 is not fast.
double measure_bf16() {
  return has_panels(Precision::bf16) ? measure(Precision::bf16) : 0.0;
}

}  // namespace
}  // namespace attend::kernels

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  omp_set_num_threads(threads);
  std::printf("{\"threads\": %d, \"f32\": %.1f, \"bf16\": %.1f}\n", threads,
              attend::kernels::measure_f32(), attend::kernels::measure_bf16());
}
