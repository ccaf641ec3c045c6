#include "data/token_block.h"

#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace attend::data {

TokenBlock::TokenBlock(int64_t vocabulary, std::shared_ptr<Chunks> memory)
    : memory_(std::move(memory)), ids_(ChunkedArray<uint16_t>(memory_)) {
  if (vocabulary > int64_t{std::numeric_limits<uint16_t>::max()} + 1)
    ids_ = ChunkedArray<text::TokenId>(memory_);
}

uint64_t TokenBlock::size() const {
  if (stored_) return stored_->size();
  return std::visit([](const auto& packed) { return packed.size(); }, ids_);
}

const TokenBlock::Ids& TokenBlock::ids() const {
  if (stored_) throw std::logic_error("TokenBlock: the ids are in their file");
  return ids_;
}

void TokenBlock::append(std::span<const text::TokenId> ids) {
  if (stored_) throw std::logic_error("TokenBlock: the ids are in their file");
  std::visit(
      [&](auto& packed) {
        using Id = std::remove_cvref_t<decltype(packed[0])>;
        for (const text::TokenId id : ids) packed.push_back(static_cast<Id>(id));
      },
      ids_);
}

std::vector<text::TokenId> TokenBlock::read(uint64_t position, std::size_t length) const {
  if (position > size() || length > size() - position)
    throw DataError("the token cache is damaged: a line lies outside the file; delete the cache");
  memory_->note_read();
  std::vector<text::TokenId> ids(length);
  if (stored_) {
    stored_->read(position, ids);
    return ids;
  }
  std::visit(
      [&](const auto& packed) {
        for (text::TokenId& id : ids) id = packed[position++];
      },
      ids_);
  return ids;
}

}  // namespace attend::data
