#include "data/token_file_index.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/checksum.h"

namespace attend::data {

uint32_t checksum_of(const void* bytes, std::size_t count) {
  return static_cast<uint32_t>(add_to_checksum(0, bytes, count));
}

namespace {

constexpr std::string_view kEndMark = "attn";

/// The last bytes of the file.
struct Tail {
  uint64_t index_begin = 0;
  uint32_t index_checksum = 0;
  std::array<char, kEndMark.size()> mark = {};
};
static_assert(sizeof(Tail) == 16);

std::optional<KeptIndex> read_index(std::ifstream& stream) {
  std::string head(kTokenFileHead.size(), '\0');
  if (!stream.read(head.data(), static_cast<std::streamsize>(head.size())) ||
      head != kTokenFileHead)
    return std::nullopt;
  stream.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(stream.tellg());
  if (size < kTokenFileHead.size() + sizeof(Tail)) throw Damaged();
  const uint64_t tail_begin = size - sizeof(Tail);
  Tail tail;
  stream.seekg(static_cast<std::streamoff>(tail_begin));
  stream.read(reinterpret_cast<char*>(&tail), sizeof(tail));
  const bool sound = std::string_view(tail.mark.data(), tail.mark.size()) == kEndMark &&
                     tail.index_begin >= kTokenFileHead.size() && tail.index_begin <= tail_begin;
  if (!stream || !sound) throw Damaged();
  std::string index(tail_begin - tail.index_begin, '\0');
  stream.seekg(static_cast<std::streamoff>(tail.index_begin));
  stream.read(index.data(), static_cast<std::streamsize>(index.size()));
  if (!stream || checksum_of(index.data(), index.size()) != tail.index_checksum) throw Damaged();
  return KeptIndex{std::move(index), tail.index_begin};
}

}  // namespace

std::optional<KeptIndex> read_index(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  return read_index(stream);
}

void write_index(std::ostream& stream, const KeptIndex& index) {
  Tail tail{index.begin, checksum_of(index.bytes.data(), index.bytes.size()), {}};
  std::ranges::copy(kEndMark, tail.mark.begin());
  stream << index.bytes;
  stream.write(reinterpret_cast<const char*>(&tail), sizeof(tail));
}

}  // namespace attend::data
