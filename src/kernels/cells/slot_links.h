#pragma once
#include <cstdint>

namespace attend::kernels {

/// One step of the order in which the M slots of a memory were written (nn/rnn/dnc_cell.h), for N
/// sequences with R heads, and where it leads these from the slots r that they read before: with
/// the weights w of the write and p of the one before it,
///   L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p[j] for i != j,  L[i, i] = 0,
///   on = L r,  back = L^T r.
template <class T>
struct SlotLinks {
  int64_t rows = 0;               // N
  int64_t slots = 0;              // M
  int64_t heads = 0;              // R
  const T* before = nullptr;      // L' [N, M, M]
  int64_t before_stride = 0;      // numbers from one sequence's to the next one's
  const T* writes = nullptr;      // w [N, M]
  const T* precedence = nullptr;  // p [N, M]
  const T* reads = nullptr;       // r [N, R, M]
  T* links = nullptr;             // L [N, M, M]
  T* on = nullptr;                // [N, R, M]
  T* back = nullptr;              // [N, R, M]
};

template <class T>  // float or double
void slot_links(const SlotLinks<T>& work);

/// Its gradient. Of `forward` the results are not read.
template <class T>
struct SlotLinksGradient {
  SlotLinks<T> forward;
  const T* d_links = nullptr;  // [N, M, M]
  int64_t d_links_stride = 0;  // numbers from one sequence's to the next one's
  const T* d_on = nullptr;     // [N, R, M]
  const T* d_back = nullptr;   // [N, R, M]
  T* d_before = nullptr;       // [N, M, M]
  T* d_writes = nullptr;       // [N, M]
  T* d_precedence = nullptr;   // [N, M]
  T* d_reads = nullptr;        // [N, R, M]
};

template <class T>
void slot_links_gradient(const SlotLinksGradient<T>& work);

}  // namespace attend::kernels
