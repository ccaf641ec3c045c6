#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/chunks.h"

namespace attend::data {

/// An array that grows at its end without moving its elements, so growing needs no second copy.
template <class Element>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>);

 public:
  explicit ChunkedArray(std::shared_ptr<Chunks> memory) : memory_(std::move(memory)) {}
  /// Wraps `size` elements that already lie in `memory`, kPerChunk in each chunk but the last. No
  /// element can be added.
  ChunkedArray(std::shared_ptr<Chunks> memory, uint64_t size, std::vector<Element*> chunks)
      : memory_(std::move(memory)), chunks_(std::move(chunks)), size_(size) {}
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
    return chunks_[index / kPerChunk][index % kPerChunk];
  }

  static constexpr uint64_t kPerChunk = Chunks::kBytes / sizeof(Element);
  [[nodiscard]] std::size_t chunks() const { return chunks_.size(); }
  /// The elements of a chunk.
  [[nodiscard]] std::span<const Element> chunk(std::size_t i) const {
    const uint64_t rest = size_ - i * kPerChunk;
    return {chunks_[i], static_cast<std::size_t>(rest < kPerChunk ? rest : kPerChunk)};
  }

 private:
  std::shared_ptr<Chunks> memory_;
  std::vector<Element*> chunks_;
  uint64_t size_ = 0;
};

}  // namespace attend::data
