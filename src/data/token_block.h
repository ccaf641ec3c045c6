#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "text/vocabulary.h"

namespace attend::data {

/// A long row of token ids, packed: 2 bytes each where the vocabulary allows it, else 4. It grows
/// without moving what it holds, so that its peak is its size.
class TokenBlock {
 public:
  /// `vocabulary`: every id is below this.
  explicit TokenBlock(int64_t vocabulary);

  /// Ids so far: the position of the next one.
  [[nodiscard]] uint64_t size() const { return size_; }
  void append(std::span<const text::TokenId> ids);
  [[nodiscard]] std::vector<text::TokenId> read(uint64_t position, std::size_t length) const;

  /// Memory taken.
  [[nodiscard]] uint64_t bytes() const;

 private:
  template <class Id>
  using Chunks = std::vector<std::unique_ptr<Id[]>>;

  std::variant<Chunks<uint16_t>, Chunks<text::TokenId>> chunks_;
  uint64_t size_ = 0;
};

}  // namespace attend::data
