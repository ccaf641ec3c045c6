#include "kernels/ssru.h"

#include <vector>

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/partial_sums.h"
#include "kernels/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSsruRows = 4;   // sequences a thread takes at a time
constexpr int64_t kStepRows = 16;  // the same of one step

template <class T>
ATTEND_ALWAYS_INLINE void ssru_position(const Ssru<T>& work, int64_t at, const T* before) {
  const T* const news = work.news + at;
  const T* const gates = work.gates + at;
  T* const cells = work.cells + at;
  T* const outputs = work.outputs + at;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < work.size; ++i) {
    const T forget = sigmoid(gates[i] + work.bias[i]);
    const T old = before == nullptr ? T(0) : before[i];
    const T cell = forget * old + (T(1) - forget) * news[i];
    cells[i] = cell;
    outputs[i] = cell < T(0) ? T(0) : cell;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void ssru_rows(const Ssru<T>& work, int64_t begin, int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    const T* before = work.before == nullptr ? nullptr : work.before + n * work.size;
    for (int64_t t = 0; t < work.steps; ++t) {
      const int64_t at = (n * work.steps + t) * work.size;
      ssru_position(work, at, before);
      before = work.cells + at;
    }
  }
}

/// `carried` [C]: what reaches this step's cell from the next; afterwards, the cell before.
template <class T>
ATTEND_ALWAYS_INLINE void ssru_position_back(const SsruGradient<T>& work, int64_t at,
                                             const T* before, T* carried, T* d_bias) {
  const Ssru<T>& forward = work.forward;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < forward.size; ++i) {
    const T forget = sigmoid(forward.gates[at + i] + forward.bias[i]);
    const T old = before == nullptr ? T(0) : before[i];
    const T through = forward.cells[at + i] > T(0) ? work.d_outputs[at + i] : T(0);
    const T d_cell = carried[i] + through;
    const T d_gate = d_cell * (old - forward.news[at + i]) * forget * (T(1) - forget);
    work.d_news[at + i] = d_cell * (T(1) - forget);
    work.d_gates[at + i] = d_gate;
    d_bias[i] += d_gate;
    carried[i] = d_cell * forget;
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void ssru_rows_back(const SsruGradient<T>& work, T* carried, T* d_bias,
                                         int64_t begin, int64_t end) {
  const Ssru<T>& forward = work.forward;
  const int64_t size = forward.size;
  for (int64_t n = begin; n < end; ++n) {
    for (int64_t i = 0; i < size; ++i) {
      carried[i] = work.d_last == nullptr ? T(0) : work.d_last[n * size + i];
    }
    const T* const first = forward.before == nullptr ? nullptr : forward.before + n * size;
    for (int64_t t = forward.steps - 1; t >= 0; --t) {
      const int64_t at = (n * forward.steps + t) * size;
      ssru_position_back(work, at, t > 0 ? forward.cells + at - size : first, carried, d_bias);
    }
    if (work.d_before == nullptr) continue;
    for (int64_t i = 0; i < size; ++i) work.d_before[n * size + i] = carried[i];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void ssru_step_rows(const SsruStep<T>& step, int64_t begin, int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    T* const forget = step.gates + row * 2 * size;
    const T* const news = forget + size;
    const T* const previous = step.previous_cell + row * size;
    T* const cell = step.cell + row * size;
    T* const hidden = step.hidden + row * size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) {
      const T kept = sigmoid(forget[k]);
      const T next = kept * previous[k] + (T(1) - kept) * news[k];
      forget[k] = kept;
      cell[k] = next;
      hidden[k] = next < T(0) ? T(0) : next;
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void ssru_step_rows_back(const SsruStepGradient<T>& step, int64_t begin,
                                              int64_t end) {
  const int64_t size = step.size;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * size;
    const T* const forget = step.gates + 2 * at;
    const T* const news = forget + size;
    T* const d_forget = step.d_gates + 2 * at;
    T* const d_news = d_forget + size;
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) {
      const T kept = forget[k], brought = news[k];  // read first: gradients may be where they are
      const T through = step.cell[at + k] > T(0) ? step.d_hidden[at + k] : T(0);
      const T dc = step.d_cell[at + k] + through;
      d_forget[k] = dc * (step.previous_cell[at + k] - brought) * kept * (T(1) - kept);
      d_news[k] = dc * (T(1) - kept);
      step.d_previous_cell[at + k] += dc * kept;
    }
  }
}

}  // namespace

template <class T>
void ssru(const Ssru<T>& work) {
  parallel_clones<ssru_rows<T>>(work, work.rows, kSsruRows);
}

template <class T>
void ssru_gradient(const SsruGradient<T>& work) {
  const int64_t size = work.forward.size;
  PartialSums<T> sums(work.forward.rows, kSsruRows, size);
  parallel_ranges(work.forward.rows, kSsruRows, [&](int64_t begin, int64_t end) {
    std::vector<T> carried(static_cast<std::size_t>(size));
    Clones<ssru_rows_back<T>>::call(work, carried.data(), sums.of(begin), begin, end);
  });
  sums.add_to(0, size, work.d_bias);
}

template <class T>
void ssru_step(const SsruStep<T>& step) {
  parallel_clones<ssru_step_rows<T>>(step, step.rows, kStepRows);
}

template <class T>
void ssru_step_gradient(const SsruStepGradient<T>& step) {
  parallel_clones<ssru_step_rows_back<T>>(step, step.rows, kStepRows);
}

template void ssru_step(const SsruStep<float>&);
template void ssru_step(const SsruStep<double>&);
template void ssru_step_gradient(const SsruStepGradient<float>&);
template void ssru_step_gradient(const SsruStepGradient<double>&);
template void ssru(const Ssru<float>&);
template void ssru(const Ssru<double>&);
template void ssru_gradient(const SsruGradient<float>&);
template void ssru_gradient(const SsruGradient<double>&);

}  // namespace attend::kernels
