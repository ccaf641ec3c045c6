#include "kernels/cells/ssru.h"

#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/partial_sums.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSsruRows = 4;  // sequences per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void ssru_step(const Ssru<T>& work, int64_t at, const T* before) {
  const T* const candidates = work.candidates + at;
  const T* const gates = work.gates + at;
  T* const cells = work.cells + at;
  T* const outputs = work.outputs + at;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < work.size; ++i) {
    const T forget = sigmoid(gates[i] + work.bias[i]);
    const T old = before == nullptr ? T(0) : before[i];
    const T cell = forget * old + (T(1) - forget) * candidates[i];
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
      ssru_step(work, at, before);
      before = work.cells + at;
    }
  }
}

/// `carried` [C]: the gradient of this step's cell from the next step; replaced by the gradient of
/// the previous cell.
template <class T>
ATTEND_ALWAYS_INLINE void ssru_step_back(const SsruGradient<T>& work, int64_t at, const T* before,
                                         T* carried, T* d_bias) {
  const Ssru<T>& forward = work.forward;
  ATTEND_INDEPENDENT
  for (int64_t i = 0; i < forward.size; ++i) {
    const T forget = sigmoid(forward.gates[at + i] + forward.bias[i]);
    const T old = before == nullptr ? T(0) : before[i];
    const T through = forward.cells[at + i] > T(0) ? work.d_outputs[at + i] : T(0);
    const T d_cell = carried[i] + through;
    const T d_gate = d_cell * (old - forward.candidates[at + i]) * forget * (T(1) - forget);
    work.d_candidates[at + i] = d_cell * (T(1) - forget);
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
      ssru_step_back(work, at, t > 0 ? forward.cells + at - size : first, carried, d_bias);
    }
    if (work.d_before == nullptr) continue;
    for (int64_t i = 0; i < size; ++i) work.d_before[n * size + i] = carried[i];
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

template void ssru(const Ssru<float>&);
template void ssru(const Ssru<double>&);
template void ssru_gradient(const SsruGradient<float>&);
template void ssru_gradient(const SsruGradient<double>&);

}  // namespace attend::kernels
