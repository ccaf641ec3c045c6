#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/chunks.h"

namespace attend::data {

/// Grows at its end without moving what it holds, so that its peak is its size.
template <class Element>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>);

 public:
  explicit ChunkedArray(std::shared_ptr<Chunks> memory) : memory_(std::move(memory)) {}
  ChunkedArray(ChunkedArray&&) noexcept = default;
  ChunkedArray& operator=(ChunkedArray&&) noexcept = default;

  [[nodiscard]] uint64_t size() const { return size_; }
  /// Memory taken.
  [[nodiscard]] uint64_t bytes() const { return chunks_.size() * Chunks::kBytes; }

  void push_back(const Element& element) {
    if (size_ % kPerChunk == 0) chunks_.push_back(static_cast<Element*>(memory_->add()));
    ::new (chunks_.back() + size_ % kPerChunk) Element(element);
    ++size_;
  }

  /// Requires: index < size().
  [[nodiscard]] const Element& operator[](uint64_t index) const {
    return chunks_[index / kPerChunk][index % kPerChunk];
  }

 private:
  static constexpr uint64_t kPerChunk = Chunks::kBytes / sizeof(Element);

  std::shared_ptr<Chunks> memory_;
  std::vector<Element*> chunks_;
  uint64_t size_ = 0;
};

}  // namespace attend::data
