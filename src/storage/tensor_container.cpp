#include "storage/tensor_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "storage/version_error.h"

namespace attend::storage::tensor_format {
namespace {

using nlohmann::json;

constexpr std::size_t kEntryKeys = 3;  // dtype, shape, data_offsets
constexpr int kMostDepth = 2;          // the header, an entry, its shape
// Limit of parser events per header. A tensor has about 20; each can take 100 bytes of memory.
constexpr std::size_t kMostHeaderEvents = 2'000'000;

struct TypeSize {
  std::string_view name;
  uint64_t bytes;
};

constexpr std::array<TypeSize, 10> kTypeSizes = {{{"F32", 4},
                                                  {"F64", 8},
                                                  {"F16", 2},
                                                  {"BF16", 2},
                                                  {"I64", 8},
                                                  {"I32", 4},
                                                  {"I16", 2},
                                                  {"I8", 1},
                                                  {"U8", 1},
                                                  {"BOOL", 1}}};

std::optional<uint64_t> type_size(std::string_view name) {
  const auto* const found = std::find_if(kTypeSizes.begin(), kTypeSizes.end(),
                                         [name](const TypeSize& t) { return t.name == name; });
  return found == kTypeSizes.end() ? std::nullopt : std::optional(found->bytes);
}

bool is_count(const json& value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
}

/// Accepts exactly the keys that we write. The checksum serialises the whole header, which would
/// crash for a deeply nested value of another key.
bool is_entry(const json& value) {
  const auto all_counts = [&value](const char* key) {
    return value.contains(key) && value[key].is_array() &&
           std::all_of(value[key].begin(), value[key].end(), is_count);
  };
  return value.is_object() && value.size() == kEntryKeys && value.contains("dtype") &&
         value["dtype"].is_string() && all_counts("shape") && all_counts("data_offsets") &&
         value["data_offsets"].size() == 2;
}

/// Bytes of a tensor of this shape; nothing if the number of bytes or a stride overflows.
std::optional<uint64_t> byte_count(const std::vector<int64_t>& shape, uint64_t type_size) {
  if (shape.size() > kMostDimensions) return std::nullopt;
  auto strided = static_cast<int64_t>(type_size);
  bool empty = false;
  for (const int64_t extent : shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(strided, std::max<int64_t>(extent, 1), &strided))
      return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(strided);
}

}  // namespace

std::string checksum_text(uint64_t checksum) {
  return fmt::format("crc32:{:08x}", checksum);
}

uint64_t header_checksum(nlohmann::json header) {
  header[kMetadata].erase(kChecksumKey);
  const std::string text = header.dump();  // sorts the keys: their order in the file is irrelevant
  return add_to_checksum(0, text.data(), text.size());
}

ContainerReader::ContainerReader(const std::filesystem::path& file) : path_(file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) fail("there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) fail("not a file");
  size_ = std::filesystem::file_size(file, error);
  stream_.open(file, std::ios::binary);
  if (error || !stream_) fail("the file cannot be read");
  const json header = read_header();
  take_metadata(header);
  take_entries(header);
  checksum_ = header_checksum(header);
}

void ContainerReader::fail(const std::string& message) const {
  throw ModelFileError(path_, message);
}

void ContainerReader::read_bytes(void* target, uint64_t count) {
  if (count == 0) return;
  stream_.read(static_cast<char*>(target), static_cast<std::streamsize>(count));
  if (static_cast<uint64_t>(stream_.gcount()) != count) fail("the file ends too early");
}

/// Stops the parser before a forged header takes many times its size in memory: nested lists, or
/// millions of short values.
json ContainerReader::parse_header(const std::string& text) const {
  std::size_t values = 0;
  const auto keep = [&](int depth, json::parse_event_t event, json&) {
    using Event = json::parse_event_t;
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth > kMostDepth)
      fail("the header is nested too deeply; the file is damaged or not from attend");
    if (++values > kMostHeaderEvents)
      fail("the header has too many values; the file is damaged or not from attend");
    return true;
  };
  return json::parse(text, keep, /*allow_exceptions=*/false);
}

json ContainerReader::read_header() {
  uint64_t length = 0;
  if (size_ < sizeof length)
    fail(fmt::format("the file has only {} bytes; it is not a safetensors file", size_));
  read_bytes(&length, sizeof length);
  if (length > std::min(kMostHeaderBytes, size_ - sizeof length)) {
    fail(
        fmt::format("the header claims {} bytes, but the file has {}; it is damaged or not a "
                    "safetensors file",
                    length, size_));
  }
  std::string text(length, ' ');
  read_bytes(text.data(), length);
  data_size_ = size_ - sizeof length - length;
  json header = parse_header(text);
  if (!header.is_object()) fail("the header is not a JSON object; the file is damaged");
  return header;
}

void ContainerReader::take_metadata(const json& header) {
  const auto found = header.find(kMetadata);
  if (found == header.end() || !found->is_object() || !found->contains(kVersionKey)) {
    fail("the file has no format version; it was not written by attend");
  }
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) fail("metadata \"" + key + "\" is not a string");
    metadata_[key] = value.get<std::string>();
  }
  if (metadata_[kVersionKey] != kVersion) {
    throw VersionError(path_,
                       fmt::format("format version {}, but this build reads version {}; use the "
                                   "version of attend that wrote it, or train again",
                                   metadata_[kVersionKey], kVersion));
  }
  if (!metadata_.contains(kChecksumKey)) fail("the file has no checksum");
  expected_checksum_ = metadata_[kChecksumKey];
  metadata_.erase(kVersionKey);
  metadata_.erase(kChecksumKey);
}

Entry ContainerReader::parse_entry(const std::string& name, const json& value) const {
  if (!is_entry(value)) fail("the header's entry for \"" + name + "\" is malformed");
  Entry entry{.name = name,
              .type = value["dtype"],
              .shape = value["shape"].get<std::vector<int64_t>>(),
              .begin = value["data_offsets"][0],
              .end = value["data_offsets"][1]};
  const std::optional<uint64_t> element = type_size(entry.type);
  if (!element) {
    fail(fmt::format(R"(tensor "{}" has the unknown type "{}")", name, entry.type));
  }
  const bool fits = entry.begin <= entry.end && entry.end <= data_size_;
  if (!fits || byte_count(entry.shape, *element) != entry.bytes()) {
    fail(
        fmt::format("tensor \"{}\" is at bytes {} to {} of {}, which does not fit its shape or the "
                    "file; the file is damaged or truncated",
                    name, entry.begin, entry.end, data_size_));
  }
  return entry;
}

void ContainerReader::take_entries(const json& header) {
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) entries_.push_back(parse_entry(name, value));
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const Entry& entry : entries_) {
    if (entry.begin != position) fail("tensor \"" + entry.name + "\" is misplaced");
    position = entry.end;
  }
  if (position != data_size_) fail("the file is longer than its tensors");
}

void ContainerReader::read(void* target, uint64_t count) {
  read_bytes(target, count);
  checksum_ = add_to_checksum(checksum_, target, count);
}

void ContainerReader::check() const {
  if (expected_checksum_ == checksum_text(checksum_)) return;
  fail(
      fmt::format("the checksum is {}, but the file says {}; it is damaged; copy "
                  "it again or retrain",
                  checksum_text(checksum_), expected_checksum_));
}

}  // namespace attend::storage::tensor_format
