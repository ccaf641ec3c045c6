#pragma once
#include "kernels/attention/attention.h"
#include "kernels/device/distribution.h"

// Attention of one step (kernels/loop/loop_attention.cpp): one kernel computes energies,
// distribution and context, with one block for each row. The gradients of keys and values are sums
// over steps; after the last step, the bodies of memory_gradients.h compute them.
namespace attend::kernels::device {

/// The memory and the positions that rows see, with fields of AttentionMemory and AttentionView.
struct MemoryView {
  int64_t positions = 0;  // S
  const int64_t* lengths = nullptr;
  const int64_t* owners = nullptr;
  int64_t heads = 1;
  int64_t reach = -1;
  int64_t position = 0;  // target position of the first step
  int64_t visible = 0;

  /// Index into [sentences * heads] of the memory of a row.
  ATTEND_DEVICE int64_t memory_of(int64_t row) const {
    return sentence_of(row) * heads + row % heads;
  }
  ATTEND_DEVICE int64_t length_of(int64_t row) const { return lengths[sentence_of(row)]; }

 private:
  ATTEND_DEVICE int64_t sentence_of(int64_t row) const {
    const int64_t hypothesis = row / heads;
    return owners != nullptr ? owners[hypothesis] : hypothesis;
  }
};

/// A row of a step, with the positions that it sees.
struct SeenRow {
  int64_t row = 0;
  int64_t memory = 0;          // index into [sentences * heads]
  int64_t begin = 0, end = 0;  // positions

  ATTEND_DEVICE int64_t count() const { return end - begin; }
};

/// The predicted centre of a row.
template <class T>
struct CentreOf {
  T share = 0;   // sigmoid(z)
  T centre = 0;  // c
};

/// One step of an attention, except its energy.
template <class T>
struct AttentionStep {
  MemoryView view;
  int64_t step = 0;
  Distribution distribution;
  int64_t size = 0;           // C
  const T* values = nullptr;  // [sentences * heads, S, C]
  T* weights = nullptr;       // [rows, S]
  T* kept = nullptr;          // the same, or null
  const T* mask = nullptr;    // the same, or null
  const T* noise = nullptr;   // the same, or null
  T* context = nullptr;       // [rows, C]
  const T* place = nullptr;   // [rows] or null
  const T* bias = nullptr;    // [heads, 2 bias_reach + 1] or null
  int64_t bias_reach = 0;
  // Only in the backward pass:
  T* d_weights = nullptr;        // [rows, S]; becomes the gradient of the energies
  const T* d_context = nullptr;  // [rows, C]
  T* d_place = nullptr;          // [rows], added to
  T* uncoloured = nullptr;       // [rows, S] scratch memory if there is a place
  T* d_bias = nullptr;           // [rows, heads, 2 bias_reach + 1], added to

  ATTEND_DEVICE SeenRow seen(int64_t row) const {
    SeenRow seen = window(row);
    if (view.visible == 0) return seen;
    seen.begin = lesser_of(seen.begin, view.visible);
    seen.end = lesser_of(seen.end, view.visible);
    return seen;
  }
  ATTEND_DEVICE CentreOf<T> place_of(int64_t row) const {
    const T share = sigmoid(place[row]);
    return {share, share * static_cast<T>(view.length_of(row))};
  }
  /// 1 / (D / 2)^2.
  ATTEND_DEVICE T narrowness() const {
    const T deviation = static_cast<T>(view.reach) / 2;
    return T(1) / (deviation * deviation);
  }
  ATTEND_DEVICE T gaussian(T distance) const {
    return std::exp(T(-0.5) * narrowness() * distance * distance);
  }
  /// Index into `bias` of a position.
  ATTEND_DEVICE int64_t bias_place(const SeenRow& seen, int64_t s) const {
    const int64_t distance = s - view.position - step;
    const int64_t limited = greater_of(-bias_reach, lesser_of(bias_reach, distance));
    return seen.memory % view.heads * (2 * bias_reach + 1) + bias_reach + limited;
  }

 private:
  ATTEND_DEVICE SeenRow window(int64_t row) const {
    const int64_t length = view.length_of(row);
    SeenRow seen{row, view.memory_of(row), 0, length};
    if (view.reach < 0 || length == 0) return seen;
    const double centre = place != nullptr
                              ? static_cast<double>(place_of(row).centre)
                              : static_cast<double>(lesser_of(view.position + step, length - 1));
    if (centre != centre) return seen;  // NaN, so the weights become NaN too
    const auto reach = static_cast<double>(view.reach);
    const auto first = static_cast<int64_t>(std::ceil(centre - reach));
    const auto last = static_cast<int64_t>(std::floor(centre + reach));
    seen.begin = greater_of(int64_t{0}, lesser_of(first, length));
    seen.end = greater_of(seen.begin, lesser_of(last + 1, length));
    return seen;
  }
};

/// Writes weights and context of a row. `Energy` is one of energies.h.
template <class T, class Energy>
struct AttentionRow {
  AttentionStep<T> step;
  Energy energy;

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const SeenRow seen = step.seen(row);
    const int64_t positions = step.view.positions;
    T* const weights = step.weights + row * positions;
    T* const near = block.template room<T>(positions);
    T* const e = near != nullptr ? near : weights;
    if (seen.count() > 0) weigh(block, seen, e);
    block.each(positions,
               [&](int64_t s) { weights[s] = s >= seen.begin && s < seen.end ? e[s] : T(0); });
    mix(block, seen, e);
  }

 private:
  /// Writes the weights of the positions that the row sees.
  template <class Block>
  ATTEND_DEVICE void weigh(Block& block, const SeenRow& seen, T* e) const {
    energy.forward(block, seen, e);
    const int64_t first = seen.row * step.view.positions;
    if (step.bias != nullptr || step.noise != nullptr) {
      block.each(seen.count(), [&](int64_t i) {
        const int64_t s = seen.begin + i;
        if (step.bias != nullptr) e[s] += step.bias[step.bias_place(seen, s)];
        if (step.noise != nullptr) e[s] += step.noise[first + s];
      });
    }
    T* const kept = step.kept == nullptr ? nullptr : step.kept + first + seen.begin;
    distribute_by(block, step.distribution, e + seen.begin, kept, seen.count());
    if (step.place == nullptr) return;
    const T centre = step.place_of(seen.row).centre;
    block.each(seen.count(), [&](int64_t i) {
      const int64_t s = seen.begin + i;
      e[s] *= step.gaussian(static_cast<T>(s) - centre);
    });
  }

  /// context = sum_s m_s e_s values_s.
  template <class Block>
  ATTEND_DEVICE void mix(Block& block, const SeenRow& seen, const T* e) const {
    const int64_t size = step.size, positions = step.view.positions;
    const T* const values = step.values + seen.memory * positions * size;
    const T* const mask = step.mask == nullptr ? nullptr : step.mask + seen.row * positions;
    T* const context = step.context + seen.row * size;
    block.each(size, [&](int64_t k) {
      T sum = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        sum += (mask == nullptr ? e[s] : e[s] * mask[s]) * values[s * size + k];
      }
      context[k] = sum;
    });
  }
};

/// Replaces the gradient of a row's weights by the gradient of its energies, with 0 at positions
/// that the row does not see. Adds the gradients of the query, the place and the energy's
/// parameters.
template <class T, class Energy>
struct AttentionRowGradient {
  AttentionStep<T> step;
  Energy energy;

  template <class Block>
  ATTEND_DEVICE void operator()(Block& block, int64_t row) const {
    const SeenRow seen = step.seen(row);
    const int64_t positions = step.view.positions;
    T* const out = step.d_weights + row * positions;
    T* const near = block.template room<T>(positions);
    T* const d = near != nullptr ? near : out;
    block.each(positions,
               [&](int64_t s) { d[s] = s >= seen.begin && s < seen.end ? out[s] : T(0); });
    if (seen.count() > 0) {
      through_context(block, seen, d);
      through_weights(block, seen, d);
      if (step.bias != nullptr) to_bias(block, seen, d);
      energy.backward(block, seen, d);
    }
    if (d == out) return;
    block.each(positions, [&](int64_t s) { out[s] = d[s]; });
  }

 private:
  template <class Block>
  ATTEND_DEVICE void through_context(Block& block, const SeenRow& seen, T* d) const {
    const int64_t size = step.size, positions = step.view.positions;
    const T* const values = step.values + (seen.memory * positions + seen.begin) * size;
    const T* const d_context = step.d_context + seen.row * size;
    const T* const mask = step.mask == nullptr ? nullptr : step.mask + seen.row * positions;
    block.template sums<T>(
        seen.count(), size,
        [&](int64_t i, int64_t k) { return values[i * size + k] * d_context[k]; },
        [&](int64_t i, T sum) {
          const int64_t s = seen.begin + i;
          d[s] += mask == nullptr ? sum : mask[s] * sum;
        });
  }

  template <class Block>
  ATTEND_DEVICE void through_weights(Block& block, const SeenRow& seen, T* d) const {
    const int64_t first = seen.row * step.view.positions + seen.begin;
    const T* const weights = step.weights + first;
    const T* const kept = step.kept == nullptr ? nullptr : step.kept + first;
    if (step.place == nullptr) {
      return distribute_gradient_by(block, step.distribution, weights, kept, d + seen.begin,
                                    seen.count());
    }
    const CentreOf<T> place = step.place_of(seen.row);
    const auto distance = [&](int64_t i) { return static_cast<T>(seen.begin + i) - place.centre; };
    T* const d_seen = d + seen.begin;
    const T d_centre = block.template sum<T>(seen.count(), [&](int64_t i) {
      return d_seen[i] * weights[i] * distance(i) * step.narrowness();
    });
    T* const uncoloured = step.uncoloured + first;
    block.each(seen.count(), [&](int64_t i) {
      const T factor = step.gaussian(distance(i));
      uncoloured[i] = weights[i] / factor;  // factor >= e^-2
      d_seen[i] *= factor;
    });
    distribute_gradient_by(block, step.distribution, uncoloured, kept, d_seen, seen.count());
    block.each(1, [&](int64_t) {
      step.d_place[seen.row] += d_centre * place.centre * (T(1) - place.share);
    });
  }

  /// Each thread sums over all positions with one distance, since those beyond the reach share one.
  template <class Block>
  ATTEND_DEVICE void to_bias(Block& block, const SeenRow& seen, const T* d) const {
    const int64_t distances = 2 * step.bias_reach + 1;
    const int64_t head = seen.memory % step.view.heads * distances;
    T* const d_bias = step.d_bias + seen.row * step.view.heads * distances;
    block.each(distances, [&](int64_t i) {
      T sum = 0;
      for (int64_t s = seen.begin; s < seen.end; ++s) {
        if (step.bias_place(seen, s) == head + i) sum += d[s];
      }
      d_bias[head + i] += sum;
    });
  }
};

}  // namespace attend::kernels::device
