#include "kernels/cells/slot_links.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"

namespace attend::kernels {
namespace {

constexpr int64_t kLinkRows = 4;  // sequences a thread takes at a time

/// to += factor x.
template <class T>
ATTEND_ALWAYS_INLINE void add_scaled(int64_t count, T factor, const T* x, T* to) {
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) to[k] += factor * x[k];
}

/// Row i of L from row i of L'.
template <class T>
ATTEND_ALWAYS_INLINE void link_row(int64_t slots, int64_t i, const T* before, const T* writes,
                                   const T* precedence, T* links) {
  const T write = writes[i], rest = T(1) - write;
  ATTEND_INDEPENDENT
  for (int64_t j = 0; j < slots; ++j) {
    links[j] = (rest - writes[j]) * before[j] + write * precedence[j];
  }
  links[i] = T(0);
}

template <class T>
ATTEND_ALWAYS_INLINE void link_sequences(const SlotLinks<T>& work, int64_t begin, int64_t end) {
  const int64_t slots = work.slots;
  for (int64_t n = begin; n < end; ++n) {
    const int64_t at = n * slots, heads_at = at * work.heads;
    const T* const reads = work.reads + heads_at;
    T* const on = work.on + heads_at;
    T* const back = work.back + heads_at;
    std::fill(back, back + work.heads * slots, T(0));
    for (int64_t i = 0; i < slots; ++i) {
      T* const row = work.links + (at + i) * slots;
      link_row(slots, i, work.before + n * work.before_stride + i * slots, work.writes + at,
               work.precedence + at, row);
      for (int64_t head = 0; head < work.heads * slots; head += slots) {
        on[head + i] = inner_product(slots, row, reads + head);
        add_scaled(slots, reads[head + i], row, back + head);
      }
    }
  }
}

/// One sequence of a gradient.
template <class T>
struct LinkGradients {
  const T* writes = nullptr;  // [M]
  const T* precedence = nullptr;
  const T* reads = nullptr;  // [R, M]
  const T* d_on = nullptr;
  const T* d_back = nullptr;
  T* d_writes = nullptr;
  T* d_precedence = nullptr;
  T* d_reads = nullptr;
};

template <class T>
ATTEND_ALWAYS_INLINE LinkGradients<T> gradients_of(const SlotLinksGradient<T>& work, int64_t n) {
  const SlotLinks<T>& forward = work.forward;
  const int64_t at = n * forward.slots, heads_at = at * forward.heads;
  LinkGradients<T> one{forward.writes + at,    forward.precedence + at, forward.reads + heads_at,
                       work.d_on + heads_at,   work.d_back + heads_at,  work.d_writes + at,
                       work.d_precedence + at, work.d_reads + heads_at};
  std::fill(one.d_writes, one.d_writes + forward.slots, T(0));
  std::fill(one.d_precedence, one.d_precedence + forward.slots, T(0));
  std::fill(one.d_reads, one.d_reads + forward.heads * forward.slots, T(0));
  return one;
}

/// Through the heads: what reaches row i of L by them is added to `d_row`.
template <class T>
ATTEND_ALWAYS_INLINE void heads_back(const LinkGradients<T>& one, int64_t heads, int64_t slots,
                                     int64_t i, const T* row, T* d_row) {
  for (int64_t head = 0; head < heads * slots; head += slots) {
    const T d_on = one.d_on[head + i];
    add_scaled(slots, d_on, one.reads + head, d_row);
    add_scaled(slots, one.reads[head + i], one.d_back + head, d_row);
    add_scaled(slots, d_on, row, one.d_reads + head);
    one.d_reads[head + i] += inner_product(slots, row, one.d_back + head);
  }
}

/// From row i of L to row i of L' and the weights.
template <class T>
ATTEND_ALWAYS_INLINE void link_row_back(const LinkGradients<T>& one, int64_t slots, int64_t i,
                                        const T* before, const T* d_row, T* d_before) {
  const T write = one.writes[i], rest = T(1) - write;
  ATTEND_INDEPENDENT
  for (int64_t j = 0; j < slots; ++j) {
    d_before[j] = (rest - one.writes[j]) * d_row[j];
    one.d_precedence[j] += write * d_row[j];
    one.d_writes[j] -= before[j] * d_row[j];
  }
  one.d_writes[i] +=
      inner_product(slots, d_row, one.precedence) - inner_product(slots, d_row, before);
}

/// `rows` [2, M] holds what is known of one row of L: its numbers and their gradient.
template <class T>
ATTEND_ALWAYS_INLINE void link_sequences_back(const SlotLinksGradient<T>& work, T* rows,
                                              int64_t begin, int64_t end) {
  const SlotLinks<T>& forward = work.forward;
  const int64_t slots = forward.slots;
  T* const row = rows;
  T* const d_row = rows + slots;
  for (int64_t n = begin; n < end; ++n) {
    const LinkGradients<T> one = gradients_of(work, n);
    for (int64_t i = 0; i < slots; ++i) {
      const T* const before = forward.before + n * forward.before_stride + i * slots;
      const T* const arriving = work.d_links + n * work.d_links_stride + i * slots;
      link_row(slots, i, before, one.writes, one.precedence, row);
      std::copy(arriving, arriving + slots, d_row);
      heads_back(one, forward.heads, slots, i, row, d_row);
      d_row[i] = T(0);
      link_row_back(one, slots, i, before, d_row, work.d_before + (n * slots + i) * slots);
    }
  }
}

}  // namespace

template <class T>
void slot_links(const SlotLinks<T>& work) {
  parallel_clones<link_sequences<T>>(work, work.rows, kLinkRows);
}

template <class T>
void slot_links_gradient(const SlotLinksGradient<T>& work) {
  parallel_ranges(work.forward.rows, kLinkRows, [&](int64_t begin, int64_t end) {
    std::vector<T> rows(static_cast<std::size_t>(2 * work.forward.slots));
    Clones<link_sequences_back<T>>::call(work, rows.data(), begin, end);
  });
}

template void slot_links(const SlotLinks<float>&);
template void slot_links(const SlotLinks<double>&);
template void slot_links_gradient(const SlotLinksGradient<float>&);
template void slot_links_gradient(const SlotLinksGradient<double>&);

}  // namespace attend::kernels
