#pragma once
#include <cstdint>

namespace attend::kernels {

/// How a projected query q is compared with the prepared key k of a position s.
enum class Energy {
  dot,   // e_s = sum_a k_sa q_a
  tanh,  // e_s = sum_a w_a tanh(k_sa + q_a) with a vector w: the additive score
};

/// What one attention reads for a whole batch: rows = sentences, or hypotheses that share the keys
/// and values of their sentence, S source positions.
template <class T>
struct AttentionMemory {
  int64_t rows = 0;
  int64_t positions = 0;             // S
  int64_t inner = 0;                 // A: size of prepared keys and projected queries
  int64_t size = 0;                  // C: size of values
  const T* keys = nullptr;           // [sentences, S, A]
  const T* values = nullptr;         // [sentences, S, C]
  const int64_t* lengths = nullptr;  // [sentences] real positions, >= 0; the others get weight 0
  const int64_t* owners = nullptr;   // [rows] the sentence of each; null: row i is sentence i
  Energy energy = Energy::dot;
  const T* vector = nullptr;  // [A] w of Energy::tanh; not read by others
};

/// One step of attention with softmax over the real positions:
///   weights = softmax(e);  context = sum_s weights_s values_s
template <class T>
struct AttentionStep {
  AttentionMemory<T> memory;
  const T* query = nullptr;  // [rows, A]
  T* weights = nullptr;      // [rows, S]
  T* context = nullptr;      // [rows, C]
};

template <class T>  // float or double
void attention_step(const AttentionStep<T>& step);

/// Its gradient, where no two rows are of one sentence. With dcontext and dweights what arrives
/// from outside, and u what reaches the weights in all:
///   u_s = dweights_s + values_s . dcontext;  dvalues_s += weights_s dcontext
///   de_s = weights_s (u_s - sum_r weights_r u_r)
///   tanh, with h = tanh(k + q) computed again:
///     dvector_a += sum_s de_s h_sa;  g_sa = de_s w_a (1 - h_sa^2);  dk_sa += g_sa
///     dq_a += sum_s g_sa
///   dot:  dk_s += de_s q;  dq += sum_s de_s k_s
template <class T>
struct AttentionStepGradient {
  AttentionMemory<T> memory;
  const T* query = nullptr;      // [rows, A]
  const T* weights = nullptr;    // [rows, S]
  const T* d_context = nullptr;  // [rows, C]
  const T* d_weights = nullptr;  // [rows, S]; null: zero
  T* d_query = nullptr;          // [rows, A], added to
  T* d_keys = nullptr;           // [sentences, S, A], added to
  T* d_values = nullptr;         // [sentences, S, C], added to
  T* d_vector = nullptr;         // [rows, A] of each row by itself, added to; of Energy::tanh
};

template <class T>
void attention_step_gradient(const AttentionStepGradient<T>& step);

}  // namespace attend::kernels
