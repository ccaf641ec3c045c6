#pragma once
#include <cstdint>

namespace attend::kernels {

/// results[i] = log sum_k exp(x[i, k]) for x [rows, columns], in nats. Requires: columns >= 1.
void log_sum_exp(const float* x, int64_t rows, int64_t columns, double* results);

}  // namespace attend::kernels
