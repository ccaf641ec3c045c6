#include "kernels/cells/slot_allocation.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/cpu/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kAllocationRows = 4;  // sequences a thread takes at a time

template <class T>
void allocate_slots(int64_t slots, const T* usage, int64_t* order, T* weights) {
  std::iota(order, order + slots, int64_t{0});
  std::stable_sort(order, order + slots,
                   [usage](int64_t one, int64_t other) { return usage[one] < usage[other]; });
  T before = 1;
  for (int64_t k = 0; k < slots; ++k) {
    const T used = usage[order[k]];
    weights[order[k]] = (T(1) - used) * before;
    before *= used;
  }
}

/// With b_k the product of the usages before the k-th slot, and g its gradient: what follows of all
/// that b_k multiplies is  R_k = g_k (1 - u_k) + u_k R_{k+1},  so du_k = b_k (R_{k+1} - g_k).
template <class T>
void allocate_slots_back(int64_t slots, const T* usage, const int64_t* order, const T* d_weights,
                         T* befores, T* d_usage) {
  T before = 1;
  for (int64_t k = 0; k < slots; ++k) {
    befores[k] = before;
    before *= usage[order[k]];
  }
  T behind = 0;
  for (int64_t k = slots - 1; k >= 0; --k) {
    const int64_t slot = order[k];
    d_usage[slot] = befores[k] * (behind - d_weights[slot]);
    behind = d_weights[slot] * (T(1) - usage[slot]) + usage[slot] * behind;
  }
}

}  // namespace

template <class T>
void slot_allocation(const SlotAllocation<T>& work) {
  parallel_ranges(work.rows, kAllocationRows, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * work.slots; at < end * work.slots; at += work.slots) {
      allocate_slots(work.slots, work.usage + at, work.order + at, work.weights + at);
    }
  });
}

template <class T>
void slot_allocation_gradient(const SlotAllocationGradient<T>& work) {
  const SlotAllocation<T>& forward = work.forward;
  const int64_t slots = forward.slots;
  parallel_ranges(forward.rows, kAllocationRows, [&](int64_t begin, int64_t end) {
    std::vector<T> befores(static_cast<std::size_t>(slots));
    for (int64_t at = begin * slots; at < end * slots; at += slots) {
      allocate_slots_back(slots, forward.usage + at, forward.order + at, work.d_weights + at,
                          befores.data(), work.d_usage + at);
    }
  });
}

template void slot_allocation(const SlotAllocation<float>&);
template void slot_allocation(const SlotAllocation<double>&);
template void slot_allocation_gradient(const SlotAllocationGradient<float>&);
template void slot_allocation_gradient(const SlotAllocationGradient<double>&);

}  // namespace attend::kernels
