#pragma once
#include <cstdint>

namespace attend::kernels {

/// Where N sequences write next into memories of M slots (nn/rnn/addressing.h: allocation()): with
/// slots in the order of their usage u, equal ones as they stand,
///   weights[order[k]] = (1 - u[order[k]]) times u[order[0]], ..., u[order[k - 1]].
template <class T>
struct SlotAllocation {
  int64_t rows = 0;          // N
  int64_t slots = 0;         // M
  const T* usage = nullptr;  // u [N, M]
  int64_t* order = nullptr;  // [N, M], which slot is the k-th
  T* weights = nullptr;      // [N, M]
};

template <class T>  // float or double
void slot_allocation(const SlotAllocation<T>& work);

/// Its gradient; the order has none. Of `forward` everything but `weights` is read.
template <class T>
struct SlotAllocationGradient {
  SlotAllocation<T> forward;
  const T* d_weights = nullptr;  // [N, M]
  T* d_usage = nullptr;          // [N, M]
};

template <class T>
void slot_allocation_gradient(const SlotAllocationGradient<T>& work);

}  // namespace attend::kernels
