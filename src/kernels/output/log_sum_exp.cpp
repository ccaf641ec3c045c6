#include "kernels/output/log_sum_exp.h"

#include <cmath>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;  // rows per parallel task

ATTEND_ALWAYS_INLINE void log_sums_of(const float* x, int64_t columns, int64_t begin, int64_t end,
                                      double* results) {
  for (int64_t row = begin; row < end; ++row) {
    const float* const entries = x + row * columns;
    const float largest = largest_of(entries, columns);
    const auto sum = sum_of<float>(
        columns, [&](int64_t k)
                     __attribute__((always_inline)) { return exponential(entries[k] - largest); });
    results[row] = static_cast<double>(largest) + std::log(static_cast<double>(sum));
  }
}

}  // namespace

void log_sum_exp(const float* x, int64_t rows, int64_t columns, double* results) {
  parallel_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
    Clones<log_sums_of>::call(x, columns, begin, end, results);
  });
}

}  // namespace attend::kernels
