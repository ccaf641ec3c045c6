#include "kernels/head_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/lanes.h"
#include "kernels/parallel.h"
#include "kernels/small_product.h"
#include "kernels/vector_math.h"

// Everything of one head and sentence is copied to matrices with rows of whole lanes, of which the
// last are zeros, so that all products are small_product()s without an edge.

namespace attend::kernels {
namespace {

constexpr int64_t kHeadGrain = 4;  // heads of sentences a thread takes at a time

/// A matrix with rows of whole lanes.
template <class T>
struct Padded {
  Padded(int64_t rows, int64_t columns)
      : values(static_cast<std::size_t>(rows * padded(columns))), stride(padded(columns)) {}
  T* row(int64_t i) { return values.data() + i * stride; }
  [[nodiscard]] LeftSide<T> as_left() const { return {values.data(), stride, 1}; }
  [[nodiscard]] LeftSide<T> as_transposed_left() const { return {values.data(), 1, stride}; }

  std::vector<T> values;
  int64_t stride;
};

/// What is known of one head of one sentence.
struct HeadPlace {
  int64_t sentence, head;
  int64_t rows;  // before it in [N, h, T]
};

template <class T>
HeadPlace place_of(const HeadAttention<T>& work, int64_t index) {
  return {index / work.heads, index % work.heads, index * work.queries};
}

/// How many positions query t sees.
template <class T>
ATTEND_ALWAYS_INLINE int64_t seen_by(const HeadAttention<T>& work, int64_t sentence, int64_t t) {
  const int64_t length = work.lengths[sentence];
  return work.causal ? std::min(length, work.first + t + 1) : length;
}

template <class T>
ATTEND_ALWAYS_INLINE void pack(const HeadRows<const T>& from, HeadPlace place, int64_t rows,
                               int64_t columns, Padded<T>& to) {
  const T* const begin = from.of(place.sentence, place.head);
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(begin + i * from.position_stride, columns, to.row(i));
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void pack_transposed(const HeadRows<const T>& from, HeadPlace place,
                                          int64_t rows, int64_t columns, Padded<T>& to) {
  const T* const begin = from.of(place.sentence, place.head);
  for (int64_t k = 0; k < columns; ++k) {
    T* const row = to.row(k);
    for (int64_t i = 0; i < rows; ++i) row[i] = begin[i * from.position_stride + k];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void unpack(Padded<T>& from, HeadPlace place, int64_t rows, int64_t columns,
                                 const HeadRows<T>& to) {
  T* const begin = to.of(place.sentence, place.head);
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(from.row(i), columns, begin + i * to.position_stride);
  }
}

template <class T>
struct HeadForward {
  explicit HeadForward(const HeadAttention<T>& work)
      : keys(work.key_size, work.positions),
        values(work.positions, work.value_size),
        weights(work.queries, work.positions),
        context(work.queries, work.value_size),
        mask(work.queries, work.positions),
        tile(work.positions) {}
  Padded<T> keys;  // transposed
  Padded<T> values;
  Padded<T> weights;
  Padded<T> context;
  Padded<T> mask;
  MaskMemory<T> tile;
};

template <class T>
struct HeadBackward {
  explicit HeadBackward(const HeadAttention<T>& work)
      : values(work.value_size, work.positions),
        keys(work.positions, work.key_size),
        queries(work.queries, work.key_size),
        d_context(work.queries, work.value_size),
        d_energies(work.queries, work.positions),
        d_values(work.positions, work.value_size),
        d_keys(work.positions, work.key_size),
        d_queries(work.queries, work.key_size) {}
  Padded<T> values;  // transposed
  Padded<T> keys;
  Padded<T> queries;
  Padded<T> d_context;
  Padded<T> d_energies;  // d_weights first
  Padded<T> d_values, d_keys, d_queries;
};

/// Energies of the first `seen` positions become weights, those behind 0. Returns log sum e^energy.
template <class T>
ATTEND_ALWAYS_INLINE T softmax_row(T* row, int64_t seen, int64_t end) {
  std::fill(row + seen, row + end, T(0));
  if (seen == 0) return T(0);
  const T largest = largest_of(row, seen);
  const T sum = sum_of<T>(
      seen, [&](int64_t s) __attribute__((always_inline)) {
        row[s] = exponential(row[s] - largest);
        return row[s];
      });
  const T factor = T(1) / sum;
  for (int64_t s = 0; s < seen; ++s) row[s] *= factor;
  return largest + std::log(sum);
}

/// Energies become weights by the sums that are known.
template <class T>
ATTEND_ALWAYS_INLINE void known_softmax_row(T* row, int64_t seen, int64_t end, T log_sum) {
  for (int64_t s = 0; s < seen; ++s) row[s] = exponential(row[s] - log_sum);
  std::fill(row + seen, row + end, T(0));
}

/// Queries times keys into `head.weights`.
template <class T>
ATTEND_ALWAYS_INLINE void energies_of_head(const HeadAttention<T>& work, HeadPlace place,
                                           HeadForward<T>& head) {
  pack_transposed(work.keys, place, work.positions, work.key_size, head.keys);
  const LeftSide<T> queries{work.query.of(place.sentence, place.head), work.query.position_stride,
                            1};
  small_product(queries, head.keys.values.data(), head.weights.values.data(),
                {work.queries, work.key_size, work.positions});
}

/// The mask [T, S] of the weights' dropout, if there is one.
template <class T>
ATTEND_ALWAYS_INLINE void draw_mask(const HeadAttention<T>& work, HeadPlace place,
                                    HeadForward<T>& head) {
  if (work.dropout.probability <= 0.0) return;
  for (int64_t t = 0; t < work.queries; ++t) {
    std::copy_n(mask_of_row(work.dropout, place.rows + t, work.positions, head.tile),
                work.positions, head.mask.row(t));
  }
}

/// matrix *= mask [T, S].
template <class T>
ATTEND_ALWAYS_INLINE void apply_mask(const HeadAttention<T>& work, Padded<T>& mask,
                                     Padded<T>& matrix) {
  if (work.dropout.probability <= 0.0) return;
  for (int64_t t = 0; t < work.queries; ++t) {
    T* const row = matrix.row(t);
    const T* const kept = mask.row(t);
    ATTEND_INDEPENDENT
    for (int64_t s = 0; s < work.positions; ++s) row[s] *= kept[s];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_head(const HeadAttention<T>& work, HeadForward<T>& head,
                                       HeadPlace place) {
  energies_of_head(work, place, head);
  for (int64_t t = 0; t < work.queries; ++t) {
    T* const row = head.weights.row(t);
    work.log_sums[place.rows + t] =
        softmax_row(row, seen_by(work, place.sentence, t), head.weights.stride);
    if (work.weights != nullptr) {
      std::copy_n(row, work.positions, work.weights + (place.rows + t) * work.positions);
    }
  }
  draw_mask(work, place, head);
  apply_mask(work, head.mask, head.weights);
  pack(work.values, place, work.positions, work.value_size, head.values);
  small_product(head.weights.as_left(), head.values.values.data(), head.context.values.data(),
                {work.queries, work.positions, work.value_size});
  unpack(head.context, place, work.queries, work.value_size, work.context);
}

/// d_energies = weights (d_weights - sum weights d_weights), where d_weights stand in their place.
template <class T>
ATTEND_ALWAYS_INLINE void through_softmax(const HeadAttention<T>& work, Padded<T>& weights,
                                          Padded<T>& d_energies) {
  for (int64_t t = 0; t < work.queries; ++t) {
    const T* const p = weights.row(t);
    T* const d = d_energies.row(t);
    const T mean = sum_of<T>(
        weights.stride, [&](int64_t s) __attribute__((always_inline)) { return p[s] * d[s]; });
    for (int64_t s = 0; s < weights.stride; ++s) d[s] = p[s] * (d[s] - mean);
  }
}

/// What reaches the weights: through the context, and from outside.
template <class T>
ATTEND_ALWAYS_INLINE void d_weights_of_head(const HeadAttentionGradient<T>& work, HeadPlace place,
                                            Padded<T>& mask, HeadBackward<T>& back) {
  const HeadAttention<T>& forward = work.forward;
  small_product(back.d_context.as_left(), back.values.values.data(), back.d_energies.values.data(),
                {forward.queries, forward.value_size, forward.positions});
  apply_mask(forward, mask, back.d_energies);
  if (work.d_weights == nullptr) return;
  for (int64_t t = 0; t < forward.queries; ++t) {
    T* const row = back.d_energies.row(t);
    const T* const outside = work.d_weights + (place.rows + t) * forward.positions;
    for (int64_t s = 0; s < forward.positions; ++s) row[s] += outside[s];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void weights_again(const HeadAttention<T>& work, HeadPlace place,
                                        HeadForward<T>& head) {
  energies_of_head(work, place, head);
  for (int64_t t = 0; t < work.queries; ++t) {
    known_softmax_row(head.weights.row(t), seen_by(work, place.sentence, t), head.weights.stride,
                      work.log_sums[place.rows + t]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void pack_for_gradient(const HeadAttentionGradient<T>& work, HeadPlace place,
                                            HeadBackward<T>& back) {
  const HeadAttention<T>& forward = work.forward;
  pack_transposed(forward.values, place, forward.positions, forward.value_size, back.values);
  pack(forward.keys, place, forward.positions, forward.key_size, back.keys);
  pack(forward.query, place, forward.queries, forward.key_size, back.queries);
  pack(work.d_context, place, forward.queries, forward.value_size, back.d_context);
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_head(const HeadAttentionGradient<T>& work, HeadForward<T>& head,
                                        HeadBackward<T>& back, HeadPlace place) {
  const HeadAttention<T>& forward = work.forward;
  const int64_t queries = forward.queries, positions = forward.positions;
  weights_again(forward, place, head);
  pack_for_gradient(work, place, back);
  draw_mask(forward, place, head);
  d_weights_of_head(work, place, head.mask, back);
  through_softmax(forward, head.weights, back.d_energies);
  apply_mask(forward, head.mask, head.weights);
  small_product(head.weights.as_transposed_left(), back.d_context.values.data(),
                back.d_values.values.data(), {positions, queries, forward.value_size});
  small_product(back.d_energies.as_left(), back.keys.values.data(), back.d_queries.values.data(),
                {queries, positions, forward.key_size});
  small_product(back.d_energies.as_transposed_left(), back.queries.values.data(),
                back.d_keys.values.data(), {positions, queries, forward.key_size});
  unpack(back.d_values, place, positions, forward.value_size, work.d_values);
  unpack(back.d_queries, place, queries, forward.key_size, work.d_query);
  unpack(back.d_keys, place, positions, forward.key_size, work.d_keys);
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_heads(const HeadAttention<T>& work, HeadForward<T>& head,
                                        int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) forward_head(work, head, place_of(work, i));
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_heads(const HeadAttentionGradient<T>& work, HeadForward<T>& head,
                                         HeadBackward<T>& back, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) backward_head(work, head, back, place_of(work.forward, i));
}

}  // namespace

template <class T>
void head_attention(const HeadAttention<T>& work) {
  parallel_ranges(work.sentences * work.heads, kHeadGrain, [&](int64_t begin, int64_t end) {
    HeadForward<T> head(work);
    Clones<forward_heads<T>>::call(work, head, begin, end);
  });
}

template <class T>
void head_attention_gradient(const HeadAttentionGradient<T>& work) {
  const int64_t count = work.forward.sentences * work.forward.heads;
  parallel_ranges(count, kHeadGrain, [&](int64_t begin, int64_t end) {
    HeadForward<T> head(work.forward);
    HeadBackward<T> back(work.forward);
    Clones<backward_heads<T>>::call(work, head, back, begin, end);
  });
}

template void head_attention(const HeadAttention<float>&);
template void head_attention(const HeadAttention<double>&);
template void head_attention_gradient(const HeadAttentionGradient<float>&);
template void head_attention_gradient(const HeadAttentionGradient<double>&);

}  // namespace attend::kernels
