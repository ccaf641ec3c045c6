#pragma once
#include "kernels/device/device.h"

// The threads that compute one row together. A body is written as a sequence of calls that all
// threads make: each() and sums() split their work among the threads and wait for all of them, so
// later calls see what earlier ones wrote. Within a call, no thread may read what another writes.
// Every sum has a fixed order, so results are reproducible.
namespace attend::kernels::device {

/// Numbers that fit into the fast memory of a block.
constexpr int64_t kRoom = 1024;

/// Emulates a block on one thread of the CPU. each() runs from the last index to the first, so that
/// tests notice a body that depends on the order.
class HostBlock {
 public:
  /// Calls work(i) for 0 <= i < count.
  template <class Work>
  void each(int64_t count, const Work& work) {
    for (int64_t i = count - 1; i >= 0; --i) work(i);
  }
  /// Returns the sum of term(i) for 0 <= i < count to all threads.
  template <class T, class Term>
  [[nodiscard]] T sum(int64_t count, const Term& term) {
    T sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += term(i);
    return sum;
  }
  /// Returns the largest term(i), or `lowest` if all are smaller.
  template <class T, class Term>
  [[nodiscard]] T largest(int64_t count, T lowest, const Term& term) {
    for (int64_t i = 0; i < count; ++i) lowest = greater_of(lowest, term(i));
    return lowest;
  }
  /// Calls take(i, sum of term(i, k) for 0 <= k < inner) for 0 <= i < count.
  template <class T, class Term, class Take>
  void sums(int64_t count, int64_t inner, const Term& term, const Take& take) {
    for (int64_t i = 0; i < count; ++i) {
      take(i, sum<T>(inner, [&](int64_t k) { return term(i, k); }));
    }
  }
  /// Memory of the block for `count` numbers; null if they do not fit.
  template <class T>
  [[nodiscard]] T* room(int64_t count) {
    return count <= kRoom ? reinterpret_cast<T*>(room_) : nullptr;
  }

 private:
  double room_[kRoom];
};

}  // namespace attend::kernels::device

#if defined(__CUDACC__)
namespace attend::kernels::device {

constexpr int kThreads = 512;  // of a block
constexpr int kWarp = 32;

/// The same as HostBlock, on the threads of a GPU.
class CudaBlock {
 public:
  template <class Work>
  __device__ void each(int64_t count, const Work& work) {
    for (int64_t i = threadIdx.x; i < count; i += kThreads) work(i);
    __syncthreads();
  }
  template <class T, class Term>
  __device__ T sum(int64_t count, const Term& term) {
    T own = 0;
    for (int64_t i = threadIdx.x; i < count; i += kThreads) own += term(i);
    return joined(own, T(0), [](T a, T b) { return a + b; });
  }
  template <class T, class Term>
  __device__ T largest(int64_t count, T lowest, const Term& term) {
    T own = lowest;
    for (int64_t i = threadIdx.x; i < count; i += kThreads) own = greater_of(own, term(i));
    return joined(own, lowest, [](T a, T b) { return greater_of(a, b); });
  }
  /// Each warp computes whole sums.
  template <class T, class Term, class Take>
  __device__ void sums(int64_t count, int64_t inner, const Term& term, const Take& take) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    for (int64_t i = threadIdx.x / kWarp; i < count; i += kThreads / kWarp) {
      T own = 0;
#pragma unroll 4
      for (int64_t k = lane; k < inner; k += kWarp) own += term(i, k);
      own = over_warp(own, [](T a, T b) { return a + b; });
      if (lane == 0) take(i, own);
    }
    __syncthreads();
  }
  template <class T>
  __device__ T* room(int64_t count) {
    __shared__ double room[kRoom];
    return count <= kRoom ? reinterpret_cast<T*>(room) : nullptr;
  }

 private:
  template <class T, class Join>
  __device__ static T over_warp(T own, const Join& join) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      own = join(own, __shfl_xor_sync(0xffffffffU, own, distance));
    }
    return own;
  }
  template <class T, class Join>
  __device__ static T joined(T own, T none, const Join& join) {
    __shared__ T of_warps[kThreads / kWarp];
    own = over_warp(own, join);
    if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = own;
    __syncthreads();
    T all = none;
    for (int warp = 0; warp < kThreads / kWarp; ++warp) all = join(all, of_warps[warp]);
    __syncthreads();
    return all;
  }
};

}  // namespace attend::kernels::device
#endif
