#include "kernels/lstm.h"

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 8;  // rows a thread takes at a time

template <class T>
ATTEND_ALWAYS_INLINE void forward_row(const LstmStep<T>& step, int64_t row) {
  const int64_t size = step.size;
  T* const i = step.gates + row * 4 * size;
  T* const f = i + size;
  T* const g = f + size;
  T* const o = g + size;
  const T* const previous = step.previous_cell + row * size;
  T* const cell = step.cell + row * size;
  T* const hidden = step.hidden + row * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    i[k] = sigmoid(i[k]);
    f[k] = sigmoid(f[k]);
    g[k] = hyperbolic_tangent(g[k]);
    o[k] = sigmoid(o[k]);
    cell[k] = f[k] * previous[k] + i[k] * g[k];
    hidden[k] = o[k] * hyperbolic_tangent(cell[k]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_row(const LstmStepGradient<T>& step, int64_t row) {
  const int64_t size = step.size;
  const T* const i = step.gates + row * 4 * size;
  const T* const f = i + size;
  const T* const g = f + size;
  const T* const o = g + size;
  const T* const previous = step.previous_cell + row * size;
  const T* const cell = step.cell + row * size;
  const T* const d_hidden = step.d_hidden + row * size;
  const T* const d_cell = step.d_cell + row * size;
  T* const d_previous = step.d_previous_cell + row * size;
  T* const d_gates = step.d_gates + row * 4 * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    // All gates are read first: d_gates may be where they are.
    const T in = i[k], forget = f[k], candidate = g[k], out = o[k];
    const T squashed = hyperbolic_tangent(cell[k]);
    const T dc = d_cell[k] + d_hidden[k] * out * (T(1) - squashed * squashed);
    d_gates[k] = dc * candidate * in * (T(1) - in);
    d_gates[size + k] = dc * previous[k] * forget * (T(1) - forget);
    d_gates[2 * size + k] = dc * in * (T(1) - candidate * candidate);
    d_gates[3 * size + k] = d_hidden[k] * squashed * out * (T(1) - out);
    d_previous[k] += dc * forget;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void cell_rows(const LstmStep<T>& step, int64_t begin, int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    T* const i = step.gates + row * 4 * size;
    T* const f = i + size;
    T* const g = f + size;
    T* const o = g + size;
    const T* const previous = step.previous_cell + row * size;
    T* const cell = step.cell + row * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) {
      i[k] = sigmoid(i[k]);
      f[k] = sigmoid(f[k]);
      g[k] = hyperbolic_tangent(g[k]);
      o[k] = sigmoid(o[k]);
      cell[k] = f[k] * previous[k] + i[k] * g[k];
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void cell_gradient_rows(const LstmStepGradient<T>& step, int64_t begin,
                                             int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    const T* const gates = step.gates + row * 4 * size;
    const T* const previous = step.previous_cell + row * size;
    const T* const d_cell = step.d_cell + row * size;
    T* const d_previous = step.d_previous_cell + row * size;
    T* const d_gates = step.d_gates + row * 4 * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) {
      const T in = gates[k], forget = gates[size + k], candidate = gates[2 * size + k];
      d_gates[k] = d_cell[k] * candidate * in * (T(1) - in);
      d_gates[size + k] = d_cell[k] * previous[k] * forget * (T(1) - forget);
      d_gates[2 * size + k] = d_cell[k] * in * (T(1) - candidate * candidate);
      d_previous[k] += d_cell[k] * forget;
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void output_rows(const LstmStep<T>& step, int64_t begin, int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    const T* const out = step.gates + (row * 4 + 3) * size;
    const T* const normed = step.cell + row * size;
    T* const hidden = step.hidden + row * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) hidden[k] = out[k] * hyperbolic_tangent(normed[k]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void output_gradient_rows(const LstmStepGradient<T>& step, int64_t begin,
                                               int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    const T* const out = step.gates + (row * 4 + 3) * size;
    const T* const normed = step.cell + row * size;
    const T* const d_hidden = step.d_hidden + row * size;
    T* const d_normed = step.d_previous_cell + row * size;
    T* const d_out = step.d_gates + (row * 4 + 3) * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) {
      const T squashed = hyperbolic_tangent(normed[k]), open = out[k];
      d_normed[k] += d_hidden[k] * open * (T(1) - squashed * squashed);
      d_out[k] = d_hidden[k] * squashed * open * (T(1) - open);
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_rows(const LstmStep<T>& step, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) forward_row(step, row);
}
template <class T>
ATTEND_ALWAYS_INLINE void backward_rows(const LstmStepGradient<T>& step, int64_t begin,
                                        int64_t end) {
  for (int64_t row = begin; row < end; ++row) backward_row(step, row);
}

}  // namespace

template <class T>
void lstm_step(const LstmStep<T>& step) {
  parallel_clones<forward_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void lstm_step_gradient(const LstmStepGradient<T>& step) {
  parallel_clones<backward_rows<T>>(step, step.rows, kGrain);
}

template <class T>
void lstm_cell_step(const LstmStep<T>& step) {
  parallel_clones<cell_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void lstm_cell_step_gradient(const LstmStepGradient<T>& step) {
  parallel_clones<cell_gradient_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void lstm_output_step(const LstmStep<T>& step) {
  parallel_clones<output_rows<T>>(step, step.rows, kGrain);
}
template <class T>
void lstm_output_step_gradient(const LstmStepGradient<T>& step) {
  parallel_clones<output_gradient_rows<T>>(step, step.rows, kGrain);
}

template void lstm_cell_step(const LstmStep<float>&);
template void lstm_cell_step(const LstmStep<double>&);
template void lstm_cell_step_gradient(const LstmStepGradient<float>&);
template void lstm_cell_step_gradient(const LstmStepGradient<double>&);
template void lstm_output_step(const LstmStep<float>&);
template void lstm_output_step(const LstmStep<double>&);
template void lstm_output_step_gradient(const LstmStepGradient<float>&);
template void lstm_output_step_gradient(const LstmStepGradient<double>&);
template void lstm_step(const LstmStep<float>&);
template void lstm_step(const LstmStep<double>&);
template void lstm_step_gradient(const LstmStepGradient<float>&);
template void lstm_step_gradient(const LstmStepGradient<double>&);

}  // namespace attend::kernels
