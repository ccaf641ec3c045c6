#include "runtime/tensor_memory.h"

#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2
#include <c10/core/CPUAllocator.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "kernels/cpu/block_memory.h"
#include "runtime/memory_region.h"
#include "runtime/small_blocks.h"
#endif

namespace attend::runtime {

#if TORCH_VERSION_MAJOR < 2
namespace {

constexpr std::size_t kLeastBytes = std::size_t{1} << 16;

/// The size of the machine's memory, but at most half of the process's address limit (ulimit -v):
/// the other half is for libraries, stacks and the heap.
std::size_t size_of_region() {
  const std::size_t memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  rlimit addresses = {};
  if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) return memory;
  return std::min<std::size_t>(memory, addresses.rlim_cur / 2);
}

/// Never destroyed: tensors may outlive everything else.
MemoryRegion& region() {
  static auto* const region = new MemoryRegion(size_of_region());
  return *region;
}

/// Returns null if there is no room.
void* allocate_tensor(std::size_t bytes) {
  if (bytes >= kLeastBytes) return region().allocate(bytes);
  return bytes == 0 ? nullptr : allocate_small(bytes);
}

void release(void* block) {
  if (is_small(block)) {
    release_small(block);
  } else if (region().owns(block)) {
    region().release(block);
  } else {
    c10::GetDefaultCPUAllocator()->raw_deleter()(block);
  }
}

void* allocate_for_kernels(std::size_t bytes) {
  void* const block = allocate_tensor(bytes);
  return block != nullptr ? block : kernels::heap().allocate(bytes);
}

void release_of_kernels(void* block) {
  if (is_small(block)) {
    release_small(block);
  } else {
    region().owns(block) ? region().release(block) : kernels::heap().release(block);
  }
}

class TensorAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    void* const block = allocate_tensor(bytes);
    if (block == nullptr) return c10::GetDefaultCPUAllocator()->allocate(bytes);
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

void use_tensor_memory() {
  static TensorAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
  kernels::use_memory({&allocate_for_kernels, &release_of_kernels});
}

#else

void use_tensor_memory() {}

#endif

}  // namespace attend::runtime
