#include "kernels/cells/gru.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 8;  // rows per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void forward_row(const GruStep<T>& step, int64_t row) {
  const int64_t size = step.size;
  T* const r = step.from_input + row * 3 * size;
  T* const z = r + size;
  T* const n = z + size;
  const T* const state_r = step.from_state + row * 3 * size;
  const T* const state_z = state_r + size;
  T* const m = step.from_state + row * 3 * size + 2 * size;
  const T* const previous = step.previous_hidden + row * size;
  T* const hidden = step.hidden + row * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    r[k] = sigmoid(r[k] + state_r[k]);
    z[k] = sigmoid(z[k] + state_z[k]);
    m[k] += step.bias[k];
    n[k] = hyperbolic_tangent(n[k] + r[k] * m[k]);
    hidden[k] = n[k] + z[k] * (previous[k] - n[k]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_row(const GruStepGradient<T>& step, int64_t row) {
  const int64_t size = step.size;
  const T* const r = step.gates + row * 3 * size;
  const T* const z = r + size;
  const T* const n = z + size;
  const T* const m = step.from_state + row * 3 * size + 2 * size;
  const T* const previous = step.previous_hidden + row * size;
  const T* const d_hidden = step.d_hidden + row * size;
  T* const d_previous = step.d_previous_hidden + row * size;
  T* const d_input = step.d_from_input + row * 3 * size;
  T* const d_state = step.d_from_state + row * 3 * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    // Reads all gates before writing: their gradients may share the memory.
    const T reset = r[k], update = z[k], candidate = n[k], from_state = m[k];
    const T d_candidate = d_hidden[k] * (T(1) - update) * (T(1) - candidate * candidate);
    const T d_reset = d_candidate * from_state * reset * (T(1) - reset);
    const T d_update = d_hidden[k] * (previous[k] - candidate) * update * (T(1) - update);
    d_previous[k] += d_hidden[k] * update;
    d_input[k] = d_reset;
    d_input[size + k] = d_update;
    d_input[2 * size + k] = d_candidate;
    d_state[k] = d_reset;
    d_state[size + k] = d_update;
    d_state[2 * size + k] = d_candidate * reset;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_rows(const GruStep<T>& step, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) forward_row(step, row);
}
template <class T>
ATTEND_ALWAYS_INLINE void backward_rows(const GruStepGradient<T>& step, int64_t begin,
                                        int64_t end) {
  for (int64_t row = begin; row < end; ++row) backward_row(step, row);
}

}  // namespace

template <class T>
void gru_step(const GruStep<T>& step) {
  parallel_clones<forward_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void gru_step_gradient(const GruStepGradient<T>& step) {
  parallel_clones<backward_rows<T>>(step, step.rows, kGrain);
}

template void gru_step(const GruStep<float>&);
template void gru_step(const GruStep<double>&);
template void gru_step_gradient(const GruStepGradient<float>&);
template void gru_step_gradient(const GruStepGradient<double>&);

}  // namespace attend::kernels
