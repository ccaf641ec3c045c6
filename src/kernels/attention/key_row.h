#pragma once
#include <cstdint>

#include "kernels/attention/attention_energy.h"

namespace attend::kernels {

/// One query with the keys of its memory.
template <class T>
struct KeyRow {
  int64_t begin = 0, end = 0;  // positions
  int64_t inner = 0;           // A
  const T* query = nullptr;    // [A]
  const T* keys = nullptr;     // [S, A]
  T* d_query = nullptr;        // null: no gradient is computed
  T* d_keys = nullptr;
};

template <class T>
[[nodiscard]] KeyRow<T> key_row(const AttentionKeys<T>& keys, const Series<T>& queries,
                                const AttentionQuery& query) {
  KeyRow<T> row;
  row.begin = query.begin;
  row.end = query.end;
  row.inner = keys.inner;
  row.query = queries.value(query.step) + query.row * queries.size;
  row.keys = keys.values + query.memory * keys.positions * keys.inner;
  return row;
}

template <class T>
[[nodiscard]] KeyRow<T> key_row_with_gradients(const AttentionKeys<T>& keys,
                                               const Series<T>& queries,
                                               const AttentionQuery& query) {
  KeyRow<T> row = key_row(keys, queries, query);
  row.d_query = queries.gradient(query.step) + query.row * queries.size;
  row.d_keys = keys.gradients + query.memory * keys.positions * keys.inner;
  return row;
}

}  // namespace attend::kernels
