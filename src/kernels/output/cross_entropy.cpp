#include "kernels/output/cross_entropy.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"

// The logits, tokens times classes, are by far the largest matrix of a training step and are needed
// only once. So they are replaced in place, first by probabilities and then by the gradient, while
// a row is in the cache. The caller passes the rows of a batch in blocks, uses each block's
// gradient at once and reuses the memory, so no matrix of all rows exists. Subtracting the largest
// logit keeps exponentials from overflowing. The target's logit and the sum for smoothing are read
// before they are overwritten.

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;  // rows per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void one_row(const CrossEntropyRows<T>& batch, int64_t row) {
  const int64_t classes = batch.classes;
  T* const logits = batch.logits + row * classes;
  const int64_t target = batch.targets[row];
  for (int64_t k = 0; k < classes; ++k) logits[k] += batch.bias[k];
  const T largest = largest_of(logits, classes);
  const T target_logit = logits[target] - largest;
  // sum_k (logits_k - largest), before they are overwritten.
  const T total = batch.smoothing == 0.0
                      ? T(0)
                      : sum_of<T>(
                            classes, [&](int64_t k) __attribute__((always_inline)) {
                              return logits[k] - largest;
                            });
  const T sum = sum_of<T>(
      classes, [&](int64_t k) __attribute__((always_inline)) {
        logits[k] = exponential(logits[k] - largest);
        return logits[k];
      });
  const double log_sum = std::log(static_cast<double>(sum));
  batch.nll[row] = log_sum - static_cast<double>(target_logit);
  const double mean_nll = log_sum - static_cast<double>(total) / static_cast<double>(classes);
  batch.objective[row] = (1.0 - batch.smoothing) * batch.nll[row] + batch.smoothing * mean_nll;
  const T factor = T(1) / sum;
  const T uniform = static_cast<T>(batch.smoothing / static_cast<double>(classes));
  for (int64_t k = 0; k < classes; ++k) logits[k] = logits[k] * factor - uniform;
  logits[target] -= static_cast<T>(1.0 - batch.smoothing);
}

template <class T>
ATTEND_ALWAYS_INLINE void some_rows(const CrossEntropyRows<T>& batch, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) one_row(batch, row);
}

}  // namespace

template <class T>
void cross_entropy(const CrossEntropyRows<T>& batch) {
  parallel_clones<some_rows<T>>(batch, batch.rows, kGrain);
}

template void cross_entropy(const CrossEntropyRows<float>&);
template void cross_entropy(const CrossEntropyRows<double>&);

}  // namespace attend::kernels
