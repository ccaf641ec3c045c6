#include "kernels/cells/min_gru.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 16;  // rows per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void forward_row(const MinGruStep<T>& step, int64_t row) {
  const int64_t size = step.size;
  T* const z = step.gates + row * 2 * size;
  const T* const candidate = z + size;
  const T* const previous = step.previous_hidden + row * size;
  T* const hidden = step.hidden + row * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    z[k] = sigmoid(z[k]);
    hidden[k] = previous[k] + z[k] * (candidate[k] - previous[k]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_row(const MinGruStepGradient<T>& step, int64_t row) {
  const int64_t size = step.size;
  const T* const z = step.gates + row * 2 * size;
  const T* const n = z + size;
  const T* const previous = step.previous_hidden + row * size;
  const T* const d_hidden = step.d_hidden + row * size;
  T* const d_previous = step.d_previous_hidden + row * size;
  T* const d_update = step.d_gates + row * 2 * size;
  T* const d_candidate = d_update + size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    const T update = z[k], candidate = n[k];  // before d_gates, which may share the memory
    d_previous[k] += d_hidden[k] * (T(1) - update);
    d_update[k] = d_hidden[k] * (candidate - previous[k]) * update * (T(1) - update);
    d_candidate[k] = d_hidden[k] * update;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_rows(const MinGruStep<T>& step, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) forward_row(step, row);
}
template <class T>
ATTEND_ALWAYS_INLINE void backward_rows(const MinGruStepGradient<T>& step, int64_t begin,
                                        int64_t end) {
  for (int64_t row = begin; row < end; ++row) backward_row(step, row);
}

}  // namespace

template <class T>
void min_gru_step(const MinGruStep<T>& step) {
  parallel_clones<forward_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void min_gru_step_gradient(const MinGruStepGradient<T>& step) {
  parallel_clones<backward_rows<T>>(step, step.rows, kGrain);
}

template void min_gru_step(const MinGruStep<float>&);
template void min_gru_step(const MinGruStep<double>&);
template void min_gru_step_gradient(const MinGruStepGradient<float>&);
template void min_gru_step_gradient(const MinGruStepGradient<double>&);

}  // namespace attend::kernels
