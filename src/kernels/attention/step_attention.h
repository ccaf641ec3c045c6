#pragma once
#include <cstdint>

#include "kernels/attention/head_attention.h"

namespace attend::kernels {

/// Where keys or values lie that a decoder made position by position, each position those of all
/// rows that there were then, and which of these a row of now descends from.
template <class T>
struct StepHistory {
  const T* const* steps = nullptr;     // [S] of [rows then, heads * size]
  const int64_t* ancestors = nullptr;  // [rows, S] the row at each position
};

/// Dot-product attention of one query a row on several heads, softmax over what it sees:
///   context = softmax(q K^T + bias) V of each row and head
/// for search, where rows are hypotheses.
template <class T>
struct StepAttention {
  int64_t rows = 0;       // N
  int64_t heads = 0;      // h
  int64_t size = 0;       // of a head's query, key and value
  int64_t positions = 0;  // S
  int64_t own = 0;        // position of the queries
  DistanceBias<T> bias = {};
  const T* query = nullptr;  // [N, h * size]
  T* context = nullptr;      // [N, h * size]
  T* weights = nullptr;      // [N, h, S]; null: not wanted
};

/// What the rows of a search read of their source sentences.
template <class T>
struct StepMemory {
  const int64_t* lengths = nullptr;  // [sentences] real positions, >= 0
  const int64_t* owners = nullptr;   // [N] the sentence of each row; null: row i is sentence i
  HeadRows<const T> keys, values;    // [sentences, h, S, size]
};

template <class T>  // float or double
void step_attention(const StepAttention<T>& work, const StepMemory<T>& memory);

/// The same over all positions so far, the present one included.
template <class T>
void step_attention(const StepAttention<T>& work, const StepHistory<T>& keys,
                    const StepHistory<T>& values);

}  // namespace attend::kernels
