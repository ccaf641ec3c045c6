#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/chunks.h"

namespace attend::data {

/// Checks each chunk of an array once, before its first read. Thread-safe; two threads may check
/// the same chunk.
class ChunkChecks {
 public:
  /// `check(i)` throws if chunk i is damaged.
  ChunkChecks(std::size_t chunks, std::function<void(std::size_t)> check)
      : done_(chunks), check_(std::move(check)) {}

  void before_read(std::size_t chunk) const {
    if (done_[chunk].load(std::memory_order_relaxed)) return;
    check_(chunk);
    done_[chunk].store(true, std::memory_order_relaxed);
  }

 private:
  mutable std::vector<std::atomic<bool>> done_;
  std::function<void(std::size_t)> check_;
};

/// Grows at its end without moving its elements, so it never needs more memory than its size.
template <class Element>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>);

 public:
  explicit ChunkedArray(std::shared_ptr<Chunks> memory) : memory_(std::move(memory)) {}
  /// Wraps `size` elements that already lie in `memory`, kPerChunk in each chunk but the last. None
  /// can be added. `checks` may be null.
  ChunkedArray(std::shared_ptr<Chunks> memory, uint64_t size, std::vector<Element*> chunks,
               std::shared_ptr<const ChunkChecks> checks)
      : memory_(std::move(memory)),
        chunks_(std::move(chunks)),
        size_(size),
        checks_(std::move(checks)) {}
  ChunkedArray(ChunkedArray&&) noexcept = default;
  ChunkedArray& operator=(ChunkedArray&&) noexcept = default;

  [[nodiscard]] uint64_t size() const { return size_; }

  void push_back(const Element& element) {
    if (size_ % kPerChunk == 0) chunks_.push_back(static_cast<Element*>(memory_->add()));
    ::new (chunks_.back() + size_ % kPerChunk) Element(element);
    ++size_;
  }

  /// Requires: index < size().
  [[nodiscard]] const Element& operator[](uint64_t index) const {
    if (checks_) checks_->before_read(index / kPerChunk);
    return chunks_[index / kPerChunk][index % kPerChunk];
  }

  static constexpr uint64_t kPerChunk = Chunks::kBytes / sizeof(Element);
  [[nodiscard]] std::size_t chunks() const { return chunks_.size(); }
  /// The elements of a chunk, without checking it.
  [[nodiscard]] std::span<const Element> chunk(std::size_t i) const {
    const uint64_t rest = size_ - i * kPerChunk;
    return {chunks_[i], static_cast<std::size_t>(rest < kPerChunk ? rest : kPerChunk)};
  }

 private:
  std::shared_ptr<Chunks> memory_;
  std::vector<Element*> chunks_;
  uint64_t size_ = 0;
  std::shared_ptr<const ChunkChecks> checks_;
};

}  // namespace attend::data
