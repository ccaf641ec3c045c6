#include "kernels/cells/lstm.h"

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 8;  // rows per parallel task

/// Computes the gates and c of unit k of a row.
template <class T>
ATTEND_ALWAYS_INLINE void update_unit(T* gates, const T* previous, T* cell, int64_t size,
                                      int64_t k) {
  T &i = gates[k], &f = gates[size + k], &g = gates[2 * size + k], &o = gates[3 * size + k];
  i = sigmoid(i);
  f = sigmoid(f);
  g = hyperbolic_tangent(g);
  o = sigmoid(o);
  cell[k] = f * previous[k] + i * g;
}

/// Writes the gradients that follow from dc of unit k of a row. Reads the gates first: d_gates may
/// share their memory.
template <class T>
ATTEND_ALWAYS_INLINE void write_gate_gradients(T dc, const T* gates, const T* previous, T* d_gates,
                                               T* d_previous, int64_t size, int64_t k) {
  const T in = gates[k], forget = gates[size + k], candidate = gates[2 * size + k];
  d_gates[k] = dc * candidate * in * (T(1) - in);
  d_gates[size + k] = dc * previous[k] * forget * (T(1) - forget);
  d_gates[2 * size + k] = dc * in * (T(1) - candidate * candidate);
  d_previous[k] += dc * forget;
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_row(const LstmStep<T>& step, int64_t row) {
  const int64_t size = step.size;
  T* const gates = step.gates + row * 4 * size;
  const T* const previous = step.previous_cell + row * size;
  T* const cell = step.cell + row * size;
  T* const hidden = step.hidden + row * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    update_unit(gates, previous, cell, size, k);
    hidden[k] = gates[3 * size + k] * hyperbolic_tangent(cell[k]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_row(const LstmStepGradient<T>& step, int64_t row) {
  const int64_t size = step.size;
  const T* const gates = step.gates + row * 4 * size;
  const T* const previous = step.previous_cell + row * size;
  const T* const cell = step.cell + row * size;
  const T* const d_hidden = step.d_hidden + row * size;
  const T* const d_cell = step.d_cell + row * size;
  T* const d_previous = step.d_previous_cell + row * size;
  T* const d_gates = step.d_gates + row * 4 * size;
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < size; ++k) {
    const T out = gates[3 * size + k], squashed = hyperbolic_tangent(cell[k]);
    const T dc = d_cell[k] + d_hidden[k] * out * (T(1) - squashed * squashed);
    write_gate_gradients(dc, gates, previous, d_gates, d_previous, size, k);
    d_gates[3 * size + k] = d_hidden[k] * squashed * out * (T(1) - out);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void cell_rows(const LstmStep<T>& step, int64_t begin, int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    T* const gates = step.gates + row * 4 * size;
    const T* const previous = step.previous_cell + row * size;
    T* const cell = step.cell + row * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) update_unit(gates, previous, cell, size, k);
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
    for (int64_t k = 0; k < size; ++k)
      write_gate_gradients(d_cell[k], gates, previous, d_gates, d_previous, size, k);
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
