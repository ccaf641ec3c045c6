#pragma once
#include <cstdint>

#include "kernels/attention/distance_bias.h"
#include "kernels/layer/dropout_mask.h"

namespace attend::kernels {

/// A tensor [N, h, L, d] with contiguous features and any other strides.
template <class T>
struct HeadRows {
  T* data = nullptr;
  int64_t sentence_stride = 0;
  int64_t head_stride = 0;
  int64_t position_stride = 0;

  [[nodiscard]] T* of(int64_t sentence, int64_t head) const {
    return data + sentence * sentence_stride + head * head_stride;
  }
};

/// Dot-product attention of whole sequences on several heads (Vaswani et al. 2017, arXiv
/// 1706.03762, Sec. 3.2), for each sentence and head
///   P = softmax(Q K^T + bias) over the positions that each query sees,  context = drop(P) V
/// Each thread works on one matrix [T, S] at a time; P is kept only in `weights`.
template <class T>
struct HeadAttention {
  int64_t sentences = 0;             // N
  int64_t heads = 0;                 // h
  int64_t queries = 0;               // T
  int64_t positions = 0;             // S
  int64_t key_size = 0;              // features of a query and a key
  int64_t value_size = 0;            // features of a value and a context
  const int64_t* lengths = nullptr;  // [N] real positions, 0 <= length <= S
  bool causal = false;               // query t sees only positions up to first + t
  int64_t first = 0;                 // position of the first query
  DistanceBias<T> bias = {};
  MaskRule dropout = {};  // on the weights, [N, h, T, S]
  HeadRows<const T> query, keys, values;
  HeadRows<T> context;
  T* log_sums =
      nullptr;  // [N, h, T] log sum_s e^energy, for the gradient; 0 if a query sees nothing
  T* weights = nullptr;  // [N, h, T, S] P, before dropout; null: not wanted
};

template <class T>  // float or double
void head_attention(const HeadAttention<T>& work);

/// Gradient of head_attention(). Reads everything in `forward` except `context` and `weights`.
template <class T>
struct HeadAttentionGradient {
  HeadAttention<T> forward;
  HeadRows<const T> d_context;
  const T* d_weights = nullptr;  // [N, h, T, S]; null: zero
  HeadRows<T> d_query, d_keys, d_values;
  T* d_bias = nullptr;  // [N, h, 2 R + 1], separate for each sentence; null: no bias
};

template <class T>
void head_attention_gradient(const HeadAttentionGradient<T>& work);

}  // namespace attend::kernels
