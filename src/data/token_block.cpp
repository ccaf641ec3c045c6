#include "data/token_block.h"

#include <limits>
#include <type_traits>

namespace attend::data {
namespace {

constexpr uint64_t kChunk = 1U << 20U;  // ids

}  // namespace

TokenBlock::TokenBlock(int64_t vocabulary) {
  if (vocabulary > int64_t{std::numeric_limits<uint16_t>::max()} + 1)
    chunks_ = Chunks<text::TokenId>();
}

void TokenBlock::append(std::span<const text::TokenId> ids) {
  std::visit(
      [&](auto& chunks) {
        using Id = std::remove_reference_t<decltype(chunks[0][0])>;
        for (const text::TokenId id : ids) {
          if (size_ % kChunk == 0) chunks.push_back(std::make_unique_for_overwrite<Id[]>(kChunk));
          chunks.back()[size_++ % kChunk] = static_cast<Id>(id);
        }
      },
      chunks_);
}

std::vector<text::TokenId> TokenBlock::read(uint64_t position, std::size_t length) const {
  std::vector<text::TokenId> ids(length);
  std::visit(
      [&](const auto& chunks) {
        for (text::TokenId& id : ids) {
          id = chunks[position / kChunk][position % kChunk];
          ++position;
        }
      },
      chunks_);
  return ids;
}

uint64_t TokenBlock::bytes() const {
  return std::visit(
      [](const auto& chunks) { return chunks.size() * kChunk * sizeof(chunks[0][0]); }, chunks_);
}

}  // namespace attend::data
