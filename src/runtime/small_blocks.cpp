#include "runtime/small_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

#include "runtime/memory_region.h"

namespace attend::runtime {
namespace {

constexpr std::size_t kUnit = 64;                    // bytes
constexpr std::size_t kSlab = std::size_t{1} << 16;  // bytes of a slab of equal blocks
// Size of the address range, mostly unused. It is small because, under ulimit -v, it comes from the
// half that use_tensor_memory() leaves to libraries, stacks and the heap.
constexpr std::size_t kMemory = std::size_t{1} << 28;
constexpr std::size_t kKeptBytes = std::size_t{1} << 18;  // most that a thread keeps of one size

// Block sizes are 1 to 8 units, then four sizes for each doubling.
constexpr std::size_t kSizes = 32;

constexpr std::size_t size_index(std::size_t bytes) {
  const std::size_t units = (bytes + kUnit - 1) / kUnit;
  if (units <= 8) return units - 1;
  const auto shift = static_cast<std::size_t>(std::bit_width(units - 1)) - 3;
  return 4 * shift + ((units - 1) >> shift);
}

constexpr std::size_t bytes_of(std::size_t index) {
  const std::size_t units = index < 8 ? index + 1 : (index % 4 + 5) << (index / 4 - 1);
  return units * kUnit;
}

static_assert(size_index(kLargestSmall) == kSizes - 1);
static_assert(bytes_of(kSizes - 1) == kLargestSmall);
static_assert(bytes_of(size_index(9 * kUnit)) == 10 * kUnit);
static_assert(bytes_of(size_index(17 * kUnit)) == 20 * kUnit);

/// A free block.
struct Free {
  Free* next;
};

struct List {
  Free* first = nullptr;
  std::size_t length = 0;

  void put(void* block) {
    first = new (block) Free{first};
    ++length;
  }
  void* take() {
    Free* const block = first;
    first = block->next;
    --length;
    return block;
  }
  /// Moves up to `count` blocks from `other` to this list.
  void take_from(List& other, std::size_t count) {
    for (; count > 0 && other.first != nullptr; --count) put(other.take());
  }
};

using Lists = std::array<List, kSizes>;

std::size_t most_kept(std::size_t index) {
  return std::max<std::size_t>(kKeptBytes / bytes_of(index), 8);
}

/// The slabs and lists shared by all threads. Never destroyed: blocks may outlive everything else.
class Pool {
 public:
  static Pool& get() {
    static Pool* const pool = new Pool;
    return *pool;
  }

  [[nodiscard]] bool owns(const void* block) const { return region_.owns(block); }
  [[nodiscard]] std::size_t size_index_of(const void* block) const {
    return sizes_[static_cast<std::size_t>(static_cast<const std::byte*>(block) - start_) / kSlab];
  }

  /// Adds blocks to an empty list; it stays empty if there are none.
  void fill(List& list, std::size_t index) {
    const std::lock_guard lock(mutex_);
    list.take_from(lists_[index], most_kept(index) / 2);
    if (list.first == nullptr) cut_slab(list, index);
  }
  void take_back(List& list, std::size_t index, std::size_t count) {
    const std::lock_guard lock(mutex_);
    lists_[index].take_from(list, count);
  }

 private:
  Pool() : region_(kMemory), start_(static_cast<std::byte*>(region_.allocate(kMemory))) {}

  void cut_slab(List& list, std::size_t index) {
    if (start_ == nullptr || slabs_ == sizes_.size()) return;
    std::byte* const slab = start_ + slabs_ * kSlab;
    sizes_[slabs_++] = static_cast<uint8_t>(index);
    const std::size_t bytes = bytes_of(index);
    for (std::size_t i = kSlab / bytes; i-- > 0;) list.put(slab + i * bytes);
  }

  std::mutex mutex_;
  MemoryRegion region_;
  std::byte* start_;
  std::size_t slabs_ = 0;
  std::array<uint8_t, kMemory / kSlab> sizes_ = {};  // size index of each slab
  Lists lists_;
};

/// The lists of a thread. After ReturnAtThreadExit, blocks released by destructors of other
/// thread-local variables go straight to the pool.
thread_local Lists own_lists;
thread_local bool own_lists_are_gone = false;

struct ReturnAtThreadExit {
  ~ReturnAtThreadExit() {
    for (std::size_t i = 0; i < kSizes; ++i)
      Pool::get().take_back(own_lists[i], i, own_lists[i].length);
    own_lists_are_gone = true;
  }
};

List& own_list(std::size_t index) {
  thread_local const ReturnAtThreadExit at_exit;
  return own_lists[index];
}

}  // namespace

void* allocate_small(std::size_t bytes) {
  if (bytes > kLargestSmall) return nullptr;
  const std::size_t index = size_index(bytes);
  List& list = own_list(index);
  if (list.first == nullptr) Pool::get().fill(list, index);
  return list.first == nullptr ? nullptr : list.take();
}

bool is_small(const void* block) {
  return Pool::get().owns(block);
}

void release_small(void* block) {
  const std::size_t index = Pool::get().size_index_of(block), most = most_kept(index);
  List& list = own_list(index);
  list.put(block);
  if (own_lists_are_gone) {
    Pool::get().take_back(list, index, list.length);
  } else if (list.length > most) {
    Pool::get().take_back(list, index, most / 2);
  }
}

}  // namespace attend::runtime
