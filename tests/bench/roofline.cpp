// Prints the peak rate of matrix products on this machine, in GFLOP/s, as one JSON line: the best
// of ten products of 2048 x 2048 matrices, in float and in bf16. Float is the faster of our panels,
// with the right matrix laid out in advance, and BLAS. ATTEND_MAX_CPU limits both as it does in
// attend.
//   roofline [THREADS]        default: 1
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/cpu/cpu_limit.h"
#include "kernels/product/gemm.h"
#include "kernels/product/panels.h"
#include "numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSize = 2048;
constexpr int64_t kElements = kSize * kSize;

template <class Work>
double gflops(const Work& product) {
  constexpr int kTries = 10;
  product();  // warm-up: starts threads, generates code
  double seconds = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    product();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, passed.count());
  }
  return 2e-9 * kSize * kSize * kSize / seconds;
}

struct Square {
  std::vector<float> values = numbers(kElements);

  [[nodiscard]] Matrix<const float> read() const { return {values.data(), kSize, kSize, kSize}; }
  [[nodiscard]] Matrix<float> write() { return {values.data(), kSize, kSize, kSize}; }
};

/// GFLOP/s of our panels; 0 if this CPU has none.
double measure_panels(Precision precision) {
  if (!has_panels(precision)) return 0.0;
  const Square a;
  Square c;
  const Panels right(a.read(), /*transposed=*/false, precision);
  return gflops(
      [&] { right.multiply(a.read(), /*a_transposed=*/false, c.write(), Into::overwrite); });
}

/// GFLOP/s of a single product, which uses BLAS unless panels are faster.
double measure_product() {
  const Square a;
  Square c;
  return gflops([&] { product_nn<float>(a.read(), a.read(), c.write(), Into::overwrite); });
}

double measure_f32() {
  return std::max(measure_panels(Precision::full), measure_product());
}

}  // namespace
}  // namespace attend::kernels

int main(int argc, char** argv) {
  attend::kernels::keep_libraries_to_allowed(argv);
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  omp_set_num_threads(threads);
  std::printf("{\"threads\": %d, \"f32\": %.1f, \"bf16\": %.1f}\n", threads,
              attend::kernels::measure_f32(),
              attend::kernels::measure_panels(attend::kernels::Precision::bf16));
}
