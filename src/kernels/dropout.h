#pragma once
#include <cstdint>

namespace attend::kernels {

/// Dropout (Srivastava et al. 2014) whose mask is counted out and not drawn one number after the
/// other, so that it takes vectors and threads, is the same on every processor, and needs no memory
/// until the gradient: y_i = x_i / (1 - probability) where element i is kept and else 0. Element i
/// is kept if its word of random_words() with key `seed` is at least 2^32 probability. Of each 64
/// elements, number 16 w + j takes word w of the j-th of 16 counters.
template <class T>
struct Dropout {
  int64_t count = 0;
  const T* x = nullptr;  // [count]; null: ones
  T* y = nullptr;        // [count]; may be x
  uint64_t seed = 0;
  double probability = 0.0;  // in [0, 1)
};

template <class T>  // float or double
void dropout(const Dropout<T>& work);

}  // namespace attend::kernels
