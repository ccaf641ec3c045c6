#include "kernels/attention/head_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/transpose.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/product/small_product.h"

// The operands of one head and sentence are copied to matrices whose rows are padded with zeros to
// whole lanes, so all products are small_product()s without edge cases.

namespace attend::kernels {
namespace {

/// A matrix whose rows are padded to whole lanes.
template <class T>
struct Padded {
  Padded(int64_t rows, int64_t columns)
      : values(static_cast<std::size_t>(rows * padded(columns))), stride(padded(columns)) {}
  T* row(int64_t i) { return values.data() + i * stride; }
  [[nodiscard]] PaddedRows<T> as_result() { return {values.data(), stride}; }
  [[nodiscard]] PaddedRows<const T> as_right() const { return {values.data(), stride}; }
  [[nodiscard]] LeftSide<T> as_left() const { return {values.data(), stride, 1}; }
  [[nodiscard]] LeftSide<T> as_transposed_left() const { return {values.data(), 1, stride}; }

  std::vector<T> values;
  int64_t stride;
};

/// One head of one sentence.
struct HeadPlace {
  int64_t sentence, head;
  int64_t rows;  // rows before it in [N, h, T]
};

template <class T>
HeadPlace place_of(const HeadAttention<T>& work, int64_t index) {
  return {index / work.heads, index % work.heads, index * work.queries};
}

/// Number of positions that query t sees.
template <class T>
ATTEND_ALWAYS_INLINE int64_t seen_by(const HeadAttention<T>& work, int64_t sentence, int64_t t) {
  const int64_t length = work.lengths[sentence];
  return work.causal ? std::min(length, work.first + t + 1) : length;
}

/// Copies in steps of constant length, which is cheaper than calling memcpy() for short rows.
template <class T>
ATTEND_ALWAYS_INLINE void copy_row(const T* from, int64_t count, T* to) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) std::memcpy(to + i, from + i, kLanes * sizeof(T));
  for (; i < count; ++i) to[i] = from[i];
}

template <class T>
ATTEND_ALWAYS_INLINE void pack(const HeadRows<const T>& from, HeadPlace place, int64_t rows,
                               int64_t columns, Padded<T>& to) {
  const T* const begin = from.of(place.sentence, place.head);
  for (int64_t i = 0; i < rows; ++i) {
    copy_row(begin + i * from.position_stride, columns, to.row(i));
  }
}

/// Packs `from` into `packed_rows`, whose padding rows may hold anything, and transposes it.
template <class T>
ATTEND_ALWAYS_INLINE void pack_transposed(const HeadRows<const T>& from, HeadPlace place,
                                          int64_t rows, int64_t columns, Padded<T>& packed_rows,
                                          Padded<T>& to) {
  pack(from, place, rows, columns, packed_rows);
  transpose(packed_rows.values.data(), padded(rows), padded(columns), packed_rows.stride,
            to.values.data(), to.stride);
}

template <class T>
ATTEND_ALWAYS_INLINE void unpack(Padded<T>& from, HeadPlace place, int64_t rows, int64_t columns,
                                 const HeadRows<T>& to) {
  T* const begin = to.of(place.sentence, place.head);
  for (int64_t i = 0; i < rows; ++i) {
    copy_row<T>(from.row(i), columns, begin + i * to.position_stride);
  }
}

/// Prefetches into the cache: processors do not predict the strided reads of a head.
template <class T>
ATTEND_ALWAYS_INLINE void prefetch(const HeadRows<const T>& from, HeadPlace place, int64_t rows,
                                   int64_t columns) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const T* const begin = from.of(place.sentence, place.head);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < columns; k += kLine) {
      __builtin_prefetch(begin + i * from.position_stride + k);
    }
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void prefetch_head(const HeadAttention<T>& work, HeadPlace place) {
  prefetch(work.query, place, work.queries, work.key_size);
  prefetch(work.keys, place, work.positions, work.key_size);
  prefetch(work.values, place, work.positions, work.value_size);
}

template <class T>
struct HeadForward {
  explicit HeadForward(const HeadAttention<T>& work)
      : keys(padded(work.key_size), work.positions),
        rows(padded(work.positions), std::max(work.key_size, work.value_size)),
        values(work.positions, work.value_size),
        weights(work.queries, work.positions),
        context(work.queries, work.value_size),
        mask(work.queries, work.positions),
        tile(work.positions),
        bias(work.bias, work.queries, work.positions, work.first) {}
  Padded<T> keys;  // transposed
  Padded<T> rows;  // to be transposed
  Padded<T> values;
  Padded<T> weights;
  Padded<T> context;
  Padded<T> mask;
  MaskMemory<T> tile;
  DistanceLine<T> bias;
};

template <class T>
struct HeadBackward {
  explicit HeadBackward(const HeadAttention<T>& work)
      : values(padded(work.value_size), work.positions),
        keys(work.positions, work.key_size),
        queries(work.queries, work.key_size),
        d_context(work.queries, work.value_size),
        d_energies(work.queries, work.positions),
        d_values(work.positions, work.value_size),
        d_keys(work.positions, work.key_size),
        d_queries(work.queries, work.key_size),
        d_bias(work.bias, work.queries, work.positions, work.first) {}
  Padded<T> values;  // transposed
  Padded<T> keys;
  Padded<T> queries;
  Padded<T> d_context;
  Padded<T> d_energies;  // at first d_weights
  Padded<T> d_values, d_keys, d_queries;
  DistanceLine<T> d_bias;
};

/// row[s] = e^(row[s] - less) for the first `seen` positions, and 0 from there to the row's `end`.
template <class T>
ATTEND_ALWAYS_INLINE void exponentials_of(T* row, int64_t seen, int64_t end, T less) {
  const auto last = static_cast<int32_t>(seen),
             all = static_cast<int32_t>(end);  // 32 bits, as wide as a float
  for (int32_t s = 0; s < all; ++s) {
    const T power = exponential(row[s] - less);
    row[s] = s < last ? power : T(0);
  }
}

/// Replaces energies by weights, 0 at positions that a query does not see; `log_sums` [T] are log
/// sum e^energy. Each step runs over all rows, since the steps of one row depend on each other.
template <class T>
ATTEND_ALWAYS_INLINE void softmax_rows(const HeadAttention<T>& work, HeadPlace place,
                                       HeadForward<T>& head, T* log_sums) {
  Padded<T>& energies = head.weights;
  const int64_t end = energies.stride;
  for (int64_t t = 0; t < work.queries; ++t) {
    T* const row = energies.row(t);
    const int64_t seen = std::max(seen_by(work, place.sentence, t), int64_t{1});
    log_sums[t] = end > 0 ? largest_of(row, seen) : T(0);
  }
  for (int64_t t = 0; t < work.queries; ++t) {
    exponentials_of(energies.row(t), seen_by(work, place.sentence, t), end, log_sums[t]);
  }
  for (int64_t t = 0; t < work.queries; ++t) {
    T* const row = energies.row(t);
    const T sum = sum_of<T>(
        end, [&](int64_t s) __attribute__((always_inline)) { return row[s]; });
    const T factor = sum > T(0) ? T(1) / sum : T(0);
    for (int64_t s = 0; s < end; ++s) row[s] *= factor;
    log_sums[t] = sum > T(0) ? log_sums[t] + std::log(sum) : T(0);
  }
}

/// Adds the bias of this head to the energies.
template <class T>
ATTEND_ALWAYS_INLINE void add_bias(const HeadAttention<T>& work, HeadPlace place,
                                   HeadForward<T>& head) {
  if (work.bias.values == nullptr) return;
  head.bias.spread(place.head);
  for (int64_t t = 0; t < work.queries; ++t) {
    T* const row = head.weights.row(t);
    const T* const line = head.bias.of_query(t);
    ATTEND_INDEPENDENT
    for (int64_t s = 0; s < work.positions; ++s) row[s] += line[s];
  }
}

/// Writes queries times keys plus the bias to `head.weights`.
template <class T>
ATTEND_ALWAYS_INLINE void energies_of_head(const HeadAttention<T>& work, HeadPlace place,
                                           HeadForward<T>& head) {
  pack_transposed(work.keys, place, work.positions, work.key_size, head.rows, head.keys);
  const LeftSide<T> queries{work.query.of(place.sentence, place.head), work.query.position_stride,
                            1};
  small_product(queries, head.keys.as_right(), head.weights.as_result(),
                {work.queries, work.key_size, work.positions});
  add_bias(work, place, head);
}

static_assert(kRandomLanes % kLanes == 0);  // the columns of a mask are padded as well

/// Draws the dropout mask [T, S] of the weights, if there is one.
template <class T>
ATTEND_ALWAYS_INLINE void draw_mask(const HeadAttention<T>& work, HeadPlace place,
                                    HeadForward<T>& head) {
  if (work.dropout.probability <= 0.0) return;
  for (int64_t t = 0; t < work.queries; ++t) {
    copy_row(mask_of_row(work.dropout, place.rows + t, work.positions, head.tile), head.mask.stride,
             head.mask.row(t));
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
    for (int64_t s = 0; s < matrix.stride; ++s) row[s] *= kept[s];
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_head(const HeadAttention<T>& work, HeadForward<T>& head,
                                       HeadPlace place) {
  energies_of_head(work, place, head);
  softmax_rows(work, place, head, work.log_sums + place.rows);
  for (int64_t t = 0; work.weights != nullptr && t < work.queries; ++t) {
    std::copy_n(head.weights.row(t), work.positions,
                work.weights + (place.rows + t) * work.positions);
  }
  draw_mask(work, place, head);
  apply_mask(work, head.mask, head.weights);
  pack(work.values, place, work.positions, work.value_size, head.values);
  small_product(head.weights.as_left(), head.values.as_right(), head.context.as_result(),
                {work.queries, work.positions, work.value_size});
  unpack(head.context, place, work.queries, work.value_size, work.context);
}

/// Replaces d_weights by d_energies = weights (d_weights - sum weights d_weights).
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

/// Computes the gradient of the weights: the part through the context, plus `d_weights`.
template <class T>
ATTEND_ALWAYS_INLINE void d_weights_of_head(const HeadAttentionGradient<T>& work, HeadPlace place,
                                            Padded<T>& mask, HeadBackward<T>& back) {
  const HeadAttention<T>& forward = work.forward;
  small_product(back.d_context.as_left(), back.values.as_right(), back.d_energies.as_result(),
                {forward.queries, forward.value_size, forward.positions});
  apply_mask(forward, mask, back.d_energies);
  if (work.d_weights == nullptr) return;
  for (int64_t t = 0; t < forward.queries; ++t) {
    T* const row = back.d_energies.row(t);
    const T* const outside = work.d_weights + (place.rows + t) * forward.positions;
    for (int64_t s = 0; s < forward.positions; ++s) row[s] += outside[s];
  }
}

/// Adds the gradients of the energies to the gradient of the bias, by distance.
template <class T>
ATTEND_ALWAYS_INLINE void d_bias_of_head(const HeadAttentionGradient<T>& work, HeadPlace place,
                                         HeadBackward<T>& back) {
  const HeadAttention<T>& forward = work.forward;
  if (forward.bias.values == nullptr) return;
  back.d_bias.clear();
  for (int64_t t = 0; t < forward.queries; ++t) {
    const T* const d_energies = back.d_energies.row(t);
    T* const line = back.d_bias.of_query(t);
    ATTEND_INDEPENDENT
    for (int64_t s = 0; s < forward.positions; ++s) line[s] += d_energies[s];
  }
  const int64_t row = place.sentence * forward.heads + place.head;
  back.d_bias.gather(work.d_bias + row * forward.bias.count());
}

template <class T>
ATTEND_ALWAYS_INLINE void recompute_weights(const HeadAttention<T>& work, HeadPlace place,
                                            HeadForward<T>& head) {
  energies_of_head(work, place, head);
  for (int64_t t = 0; t < work.queries; ++t) {
    exponentials_of(head.weights.row(t), seen_by(work, place.sentence, t), head.weights.stride,
                    work.log_sums[place.rows + t]);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void pack_for_gradient(const HeadAttentionGradient<T>& work, HeadPlace place,
                                            Padded<T>& rows, HeadBackward<T>& back) {
  const HeadAttention<T>& forward = work.forward;
  pack_transposed(forward.values, place, forward.positions, forward.value_size, rows, back.values);
  pack(forward.keys, place, forward.positions, forward.key_size, back.keys);
  pack(forward.query, place, forward.queries, forward.key_size, back.queries);
  pack(work.d_context, place, forward.queries, forward.value_size, back.d_context);
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_head(const HeadAttentionGradient<T>& work, HeadForward<T>& head,
                                        HeadBackward<T>& back, HeadPlace place) {
  const HeadAttention<T>& forward = work.forward;
  const int64_t queries = forward.queries, positions = forward.positions;
  recompute_weights(forward, place, head);
  pack_for_gradient(work, place, head.rows, back);
  draw_mask(forward, place, head);
  d_weights_of_head(work, place, head.mask, back);
  through_softmax(forward, head.weights, back.d_energies);
  d_bias_of_head(work, place, back);
  apply_mask(forward, head.mask, head.weights);
  small_product(head.weights.as_transposed_left(), back.d_context.as_right(),
                back.d_values.as_result(), {positions, queries, forward.value_size});
  small_product(back.d_energies.as_left(), back.keys.as_right(), back.d_queries.as_result(),
                {queries, positions, forward.key_size});
  small_product(back.d_energies.as_transposed_left(), back.queries.as_right(),
                back.d_keys.as_result(), {positions, queries, forward.key_size});
  unpack(back.d_values, place, positions, forward.value_size, work.d_values);
  unpack(back.d_queries, place, queries, forward.key_size, work.d_query);
  unpack(back.d_keys, place, positions, forward.key_size, work.d_keys);
}

template <class T>
ATTEND_ALWAYS_INLINE void forward_heads(const HeadAttention<T>& work, HeadForward<T>& head,
                                        int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    if (i + 1 < end) prefetch_head(work, place_of(work, i + 1));
    forward_head(work, head, place_of(work, i));
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void backward_heads(const HeadAttentionGradient<T>& work, HeadForward<T>& head,
                                         HeadBackward<T>& back, int64_t begin, int64_t end) {
  const HeadAttention<T>& forward = work.forward;
  for (int64_t i = begin; i < end; ++i) {
    if (i + 1 < end) {
      prefetch_head(forward, place_of(forward, i + 1));
      prefetch(work.d_context, place_of(forward, i + 1), forward.queries, forward.value_size);
    }
    backward_head(work, head, back, place_of(forward, i));
  }
}

}  // namespace

template <class T>
void head_attention(const HeadAttention<T>& work) {
  parallel_shares(work.sentences * work.heads, [&](int64_t begin, int64_t end) {
    HeadForward<T> head(work);
    Clones<forward_heads<T>>::call(work, head, begin, end);
  });
}

template <class T>
void head_attention_gradient(const HeadAttentionGradient<T>& work) {
  const int64_t count = work.forward.sentences * work.forward.heads;
  parallel_shares(count, [&](int64_t begin, int64_t end) {
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
