#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// The head of a token file (data/token_file.h) and the index with a checksum at its end.

namespace attend::data {

/// The first bytes of a token file.
constexpr std::string_view kTokenFileHead = "attend corpus 4\n";

/// Thrown if a token file is damaged.
struct Damaged {};

[[nodiscard]] uint32_t checksum_of(const void* bytes, std::size_t count);

/// Builds the index of a token file. Numbers are little-endian; a text follows its size.
class IndexWriter {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(const std::string& value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what an IndexWriter wrote, in the same order. All functions throw Damaged beyond the end.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof(value));
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string text() { return std::string(take(number<uint32_t>())); }
  uint32_t count() {
    const auto value = number<uint32_t>();
    if (value > kMostTexts) throw Damaged();
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (std::string& value : values) value = text();
    return values;
  }
  std::vector<uint32_t> checksums(uint64_t count) {
    std::vector<uint32_t> values;
    if (count > rest_.size() / sizeof(uint32_t)) throw Damaged();
    for (uint64_t i = 0; i < count; ++i) values.push_back(number<uint32_t>());
    return values;
  }

 private:
  static constexpr uint32_t kMostTexts = 1 << 16;

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw Damaged();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

/// An index and its offset in the file.
struct KeptIndex {
  std::string bytes;
  uint64_t begin = 0;
};

/// Writes the index, then its offset, its CRC-32 and "attn".
void write_index(std::ostream& stream, const KeptIndex& index);

/// Reads and checks the index of a file. Returns nothing if there is no file or it has another
/// format. Throws Damaged.
[[nodiscard]] std::optional<KeptIndex> read_index(const std::filesystem::path& path);

}  // namespace attend::data
