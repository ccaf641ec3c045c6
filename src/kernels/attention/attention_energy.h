#pragma once
#include <cstdint>
#include <memory>

#include "kernels/attention/attention.h"

namespace attend::kernels {

/// Keys k_s for each position of each memory, and the sums of their gradients (null in the forward
/// pass).
template <class T>
struct AttentionKeys {
  const T* values = nullptr;  // [sentences * heads, S, A]
  T* gradients = nullptr;
  int64_t positions = 0;  // S
  int64_t inner = 0;      // A
};

/// Parameters that all queries share, and the sums of their gradients.
template <class T>
struct SharedNumbers {
  const T* values = nullptr;
  T* gradients = nullptr;
  int64_t count = 0;
};

/// How the energy depends on the product k . q.
enum class ProductForm {
  itself,     // e = k . q
  tanh,       // e = tanh(k . q + b)
  logarithm,  // e = log(max(k . q, 1e-30))
};

/// e_s = form(k_s . q), queries [., A]; only ProductForm::tanh reads `bias` b [1].
template <class T>
[[nodiscard]] std::unique_ptr<AttentionEnergy<T>> dot_energy(const AttentionKeys<T>& keys,
                                                             Series<T> query, ProductForm form,
                                                             const SharedNumbers<T>& bias);

/// e_s = w . tanh(k_s + q), queries [., A], `vector` w [A].
template <class T>
[[nodiscard]] std::unique_ptr<AttentionEnergy<T>> tanh_energy(const AttentionKeys<T>& keys,
                                                              Series<T> query,
                                                              const SharedNumbers<T>& vector);

/// Features of the attention so far. Numbers x_s, one per position, depend on earlier attention
/// weights, and a convolution turns them into features for j < filters:
///   f_js = sum_i F_ji r x_(s + i - width / 2), with 0 beyond the memory.
template <class T>
struct AttentionTrace {
  Series<T> numbers;         // [., S] x
  const T* rates = nullptr;  // [sentences * heads, S] r; null: ones
  T* d_rates = nullptr;      // added to
  SharedNumbers<T> filters;  // [filters, width] F
  SharedNumbers<T> weight;   // [filters, A] U
  int64_t width = 1;         // odd
};

/// e_s = w . tanh(k_s + q + sum_j f_js U_j).
template <class T>
[[nodiscard]] std::unique_ptr<AttentionEnergy<T>> trace_energy(const AttentionKeys<T>& keys,
                                                               Series<T> query,
                                                               const SharedNumbers<T>& vector,
                                                               const AttentionTrace<T>& trace);

/// e_s = q_s, queries [., at most S]. Requires: no query sees more positions than it has numbers.
template <class T>
[[nodiscard]] std::unique_ptr<AttentionEnergy<T>> given_energy(Series<T> query);

/// Adds b_(M + d) to `energy`. The distance d = s - t from the target position t of the step is
/// limited to +-M; `bias` b [heads, 2 M + 1], t = `position` at the first step.
template <class T>
[[nodiscard]] std::unique_ptr<AttentionEnergy<T>> biased_energy(
    std::unique_ptr<AttentionEnergy<T>> energy, int64_t rows, int64_t heads,
    const SharedNumbers<T>& bias, int64_t position);

}  // namespace attend::kernels
