#pragma once
#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "kernels/device/block.h"

namespace attend::kernels::device {

/// Where a body runs: on the CPU, or on the current GPU in a stream.
struct Place {
  bool is_cuda = false;
  void* stream = nullptr;  // cudaStream_t
};

/// Set by tests that simulate a GPU in the memory of the host. Kernels for a GPU then run on the
/// CPU.
inline std::atomic<bool> gpu_is_simulated = false;

/// Returns true if a GPU has kernels: this build has code for it, or it is simulated.
[[nodiscard]] inline bool has_gpu_kernels() {
#if defined(ATTEND_CUDA)
  return true;
#else
  return gpu_is_simulated;
#endif
}

// Defined in launch.cu for the bodies listed there. They throw std::runtime_error if the launch
// fails.
template <class Body>
void launch_numbers_on_cuda(const Body& body, int64_t count, void* stream);
template <class Body>
void launch_blocks_on_cuda(const Body& body, int64_t count, void* stream);

/// Calls body(i) for 0 <= i < count in any order. Does not wait for a GPU.
template <class Body>
void launch_numbers(const Place& place, const Body& body, int64_t count) {
  if (count == 0) return;
  if (place.is_cuda) {
#if defined(ATTEND_CUDA)
    return launch_numbers_on_cuda(body, count, place.stream);
#else
    throw std::logic_error("this build has no kernels for a GPU");
#endif
  }
  for (int64_t i = count - 1; i >= 0; --i) body(i);
}

/// Calls body(block, i) for 0 <= i < count in any order, each with a block of its own.
template <class Body>
void launch_blocks(const Place& place, const Body& body, int64_t count) {
  if (count == 0) return;
  if (place.is_cuda) {
#if defined(ATTEND_CUDA)
    return launch_blocks_on_cuda(body, count, place.stream);
#else
    throw std::logic_error("this build has no kernels for a GPU");
#endif
  }
  for (int64_t i = count - 1; i >= 0; --i) {
    HostBlock block;
    body(block, i);
  }
}

}  // namespace attend::kernels::device
