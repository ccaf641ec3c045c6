#include "kernels/attention/step_attention.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kStepRows = 8;  // rows per parallel task

/// Locates position s of a StepMemory for row n and head h.
template <class T>
struct MemoryPlaces {
  const StepMemory<T>& memory;

  [[nodiscard]] int64_t sentence(int64_t n) const {
    return memory.owners != nullptr ? memory.owners[n] : n;
  }
  [[nodiscard]] int64_t seen(int64_t n, int64_t positions) const {
    return std::min(memory.lengths[sentence(n)], positions);
  }
  ATTEND_ALWAYS_INLINE const T* key(int64_t n, int64_t head, int64_t s) const {
    return memory.keys.of(sentence(n), head) + s * memory.keys.position_stride;
  }
  ATTEND_ALWAYS_INLINE const T* value(int64_t n, int64_t head, int64_t s) const {
    return memory.values.of(sentence(n), head) + s * memory.values.position_stride;
  }
};

/// Locates position s of a StepHistory.
template <class T>
struct HistoryPlaces {
  const StepHistory<T>& keys;
  const StepHistory<T>& values;
  int64_t size, width, positions;  // size of a head, of all heads, and S

  [[nodiscard]] int64_t seen(int64_t, int64_t all) const { return all; }
  ATTEND_ALWAYS_INLINE const T* of(const StepHistory<T>& history, int64_t n, int64_t head,
                                   int64_t s) const {
    return history.steps[s] + history.ancestors[n * positions + s] * width + head * size;
  }
  ATTEND_ALWAYS_INLINE const T* key(int64_t n, int64_t head, int64_t s) const {
    return of(keys, n, head, s);
  }
  ATTEND_ALWAYS_INLINE const T* value(int64_t n, int64_t head, int64_t s) const {
    return of(values, n, head, s);
  }
};

/// Replaces energies [seen] by weights.
template <class T>
ATTEND_ALWAYS_INLINE void softmax_of_step(T* energies, int64_t seen) {
  const T largest = largest_of(energies, seen);
  const T sum = sum_of<T>(
      seen, [&](int64_t s) __attribute__((always_inline)) {
        energies[s] = exponential(energies[s] - largest);
        return energies[s];
      });
  const T factor = T(1) / sum;
  for (int64_t s = 0; s < seen; ++s) energies[s] *= factor;
}

template <class T, class Places>
ATTEND_ALWAYS_INLINE void attend_one(const StepAttention<T>& work, const Places& places,
                                     T* energies, int64_t n, int64_t head) {
  const int64_t size = work.size, seen = places.seen(n, work.positions);
  const T* const query = work.query + (n * work.heads + head) * size;
  T* const context = work.context + (n * work.heads + head) * size;
  for (int64_t s = 0; s < seen; ++s) {
    const T* const key = places.key(n, head, s);
    energies[s] = sum_of<T>(
        size, [&](int64_t k) __attribute__((always_inline)) { return query[k] * key[k]; });
  }
  if (work.bias.values != nullptr) {
    const T* const bias = work.bias.of_head(head);
    for (int64_t s = 0; s < seen; ++s) energies[s] += bias[work.bias.place(s - work.own)];
  }
  if (seen > 0) softmax_of_step(energies, seen);
  std::fill_n(context, size, T(0));
  for (int64_t s = 0; s < seen; ++s) {
    const T* const value = places.value(n, head, s);
    const T weight = energies[s];
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < size; ++k) context[k] += weight * value[k];
  }
  if (work.weights == nullptr) return;
  T* const weights = work.weights + (n * work.heads + head) * work.positions;
  std::copy_n(energies, seen, weights);
  std::fill(weights + seen, weights + work.positions, T(0));
}

template <class T, class Places>
ATTEND_ALWAYS_INLINE void attend_rows_of_step(const StepAttention<T>& work, const Places& places,
                                              T* energies, int64_t begin, int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    for (int64_t head = 0; head < work.heads; ++head) {
      attend_one(work, places, energies, n, head);
    }
  }
}

template <class T, class Places>
void attend_step(const StepAttention<T>& work, const Places& places) {
  parallel_ranges(work.rows, kStepRows, [&](int64_t begin, int64_t end) {
    std::vector<T> energies(static_cast<std::size_t>(work.positions));
    Clones<attend_rows_of_step<T, Places>>::call(work, places, energies.data(), begin, end);
  });
}

}  // namespace

template <class T>
void step_attention(const StepAttention<T>& work, const StepMemory<T>& memory) {
  attend_step(work, MemoryPlaces<T>{memory});
}

template <class T>
void step_attention(const StepAttention<T>& work, const StepHistory<T>& keys,
                    const StepHistory<T>& values) {
  attend_step(work, HistoryPlaces<T>{.keys = keys,
                                     .values = values,
                                     .size = work.size,
                                     .width = work.heads * work.size,
                                     .positions = work.positions});
}

template void step_attention(const StepAttention<float>&, const StepMemory<float>&);
template void step_attention(const StepAttention<double>&, const StepMemory<double>&);
template void step_attention(const StepAttention<float>&, const StepHistory<float>&,
                             const StepHistory<float>&);
template void step_attention(const StepAttention<double>&, const StepHistory<double>&,
                             const StepHistory<double>&);

}  // namespace attend::kernels
