#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "data/chunked_array.h"
#include "data/stored_ids.h"
#include "text/vocabulary.h"

namespace attend::data {

/// A long sequence of token ids, 2 bytes each if the vocabulary allows it, else 4.
class TokenBlock {
 public:
  /// Every id is below `vocabulary`.
  TokenBlock(int64_t vocabulary, std::shared_ptr<Chunks> memory);
  using Ids = std::variant<ChunkedArray<uint16_t>, ChunkedArray<text::TokenId>>;
  /// Wraps ids that already lie in `memory`.
  TokenBlock(std::shared_ptr<Chunks> memory, Ids ids)
      : memory_(std::move(memory)), ids_(std::move(ids)) {}
  /// Wraps ids that stay in their file. `memory` holds the rest of the corpus.
  TokenBlock(const std::shared_ptr<Chunks>& memory, std::shared_ptr<const StoredIds> stored)
      : memory_(memory), ids_(ChunkedArray<uint16_t>(memory)), stored_(std::move(stored)) {}

  /// Number of ids, which is also the position of the next id.
  [[nodiscard]] uint64_t size() const;
  void append(std::span<const text::TokenId> ids);
  /// Throws what StoredIds::read() throws, and DataError if ids lie beyond the end (damaged file).
  [[nodiscard]] std::vector<text::TokenId> read(uint64_t position, std::size_t length) const;
  /// The ids in memory. Throws std::logic_error if they stay in their file.
  [[nodiscard]] const Ids& ids() const;

 private:
  std::shared_ptr<Chunks> memory_;
  Ids ids_;
  std::shared_ptr<const StoredIds> stored_;  // null: the ids are in memory
};

}  // namespace attend::data
