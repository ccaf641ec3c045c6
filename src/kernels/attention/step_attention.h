#pragma once
#include <cstdint>

#include "kernels/attention/head_attention.h"

namespace attend::kernels {

/// Keys or values that a decoder computed one position at a time. steps[s] holds those of all rows
/// (hypotheses) at position s; `ancestors` gives the ancestors of the current rows there.
template <class T>
struct StepHistory {
  const T* const* steps = nullptr;     // [S] pointers to [rows at that step, heads * size]
  const int64_t* ancestors = nullptr;  // [rows, S] row of the ancestor at each position
};

/// Dot-product attention with one query per row, for search, where rows are hypotheses. For each
/// row and head, over the positions that it sees:
///   context = softmax(q K^T + bias) V
template <class T>
struct StepAttention {
  int64_t rows = 0;       // N
  int64_t heads = 0;      // h
  int64_t size = 0;       // size of a head's query, key and value
  int64_t positions = 0;  // S
  int64_t own = 0;        // position of the queries
  DistanceBias<T> bias = {};
  const T* query = nullptr;  // [N, h * size]
  T* context = nullptr;      // [N, h * size]
  T* weights = nullptr;      // [N, h, S]; null: not wanted
};

/// Keys and values of source sentences.
template <class T>
struct StepMemory {
  const int64_t* lengths = nullptr;  // [sentences] real positions, >= 0
  const int64_t* owners = nullptr;   // [N] the sentence of each row; null: row i is sentence i
  HeadRows<const T> keys, values;    // [sentences, h, S, size]
};

template <class T>  // float or double
void step_attention(const StepAttention<T>& work, const StepMemory<T>& memory);

/// Attends to all positions so far, including the current one.
template <class T>
void step_attention(const StepAttention<T>& work, const StepHistory<T>& keys,
                    const StepHistory<T>& values);

}  // namespace attend::kernels
