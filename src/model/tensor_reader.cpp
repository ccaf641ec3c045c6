#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "model/tensor_format.h"
#include "model/weights_file.h"

namespace attend::model {
namespace {

namespace format = tensor_format;
using nlohmann::json;
using std::filesystem::path;

/// Where one tensor lies in the file.
struct Entry {
  std::string name;
  torch::ScalarType type = torch::kFloat32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // bytes after the header
  uint64_t end = 0;
};

/// A tensor file being read: its bytes and how many there are.
class Reader {
 public:
  explicit Reader(const path& file) : path_(file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) fail("there is no such file");
    if (!std::filesystem::is_regular_file(file, error)) fail("not a file");
    size_ = std::filesystem::file_size(file, error);
    stream_.open(file, std::ios::binary);
    if (error || !stream_) fail("the file cannot be read");
  }

  [[noreturn]] void fail(const std::string& message) const { throw ModelFileError(path_, message); }

  void read(void* target, uint64_t count) {
    if (count == 0) return;
    stream_.read(static_cast<char*>(target), static_cast<std::streamsize>(count));
    if (static_cast<uint64_t>(stream_.gcount()) != count) fail("the file ends too early");
  }

  /// Leaves the stream at the first tensor byte.
  json read_header() {
    uint64_t length = 0;
    if (size_ < sizeof length) fail(fmt::format("{} bytes are no safetensors file", size_));
    read(&length, sizeof length);
    if (length > std::min(format::kMostHeaderBytes, size_ - sizeof length)) {
      fail(
          fmt::format("the header claims {} bytes, but the file has {}; it is damaged, or no "
                      "safetensors file",
                      length, size_));
    }
    std::string text(length, ' ');
    read(text.data(), length);
    data_size_ = size_ - sizeof length - length;
    json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!header.is_object()) fail("the header is no JSON object; the file is damaged");
    return header;
  }

  [[nodiscard]] uint64_t data_size() const { return data_size_; }

 private:
  path path_;
  std::ifstream stream_;
  uint64_t size_ = 0;
  uint64_t data_size_ = 0;
};

std::map<std::string, std::string> parse_metadata(const Reader& reader, const json& header) {
  const auto found = header.find(format::kMetadata);
  if (found == header.end() || !found->is_object() || !found->contains(format::kVersionKey)) {
    reader.fail("the file names no format version; it was not written by attend");
  }
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) reader.fail("metadata \"" + key + "\" is no string");
    metadata[key] = value.get<std::string>();
  }
  if (metadata[format::kVersionKey] != format::kVersion) {
    reader.fail(
        fmt::format("format version {}, but this build reads version {}; use the attend "
                    "that wrote it, or train again",
                    metadata[format::kVersionKey], format::kVersion));
  }
  if (!metadata.contains(format::kChecksumKey)) reader.fail("the file holds no checksum");
  return metadata;
}

bool is_count(const json& value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
}

bool is_entry(const json& value) {
  const auto all_counts = [&value](const char* key) {
    return value.contains(key) && value[key].is_array() &&
           std::all_of(value[key].begin(), value[key].end(), is_count);
  };
  return value.is_object() && value.contains("dtype") && value["dtype"].is_string() &&
         all_counts("shape") && all_counts("data_offsets") && value["data_offsets"].size() == 2;
}

torch::ScalarType parse_type(const Reader& reader, const Entry& entry, const std::string& name) {
  const std::optional<torch::ScalarType> type = format::type_of(name);
  if (!type) {
    reader.fail(fmt::format("tensor \"{}\" has the type \"{}\", which is not known here",
                            entry.name, name));
  }
  return *type;
}

/// Bytes of a tensor of that shape, or nothing where the number does not fit.
std::optional<uint64_t> byte_count(const Entry& entry) {
  uint64_t bytes = torch::elementSize(entry.type);
  for (const int64_t extent : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) return std::nullopt;
  }
  return bytes;
}

Entry parse_entry(const Reader& reader, const std::string& name, const json& value) {
  if (!is_entry(value)) reader.fail("the header's entry for \"" + name + "\" is malformed");
  Entry entry{name,
              {},
              value["shape"].get<std::vector<int64_t>>(),
              value["data_offsets"][0],
              value["data_offsets"][1]};
  entry.type = parse_type(reader, entry, value["dtype"]);
  const bool fits = entry.begin <= entry.end && entry.end <= reader.data_size();
  if (!fits || byte_count(entry) != entry.end - entry.begin) {
    reader.fail(
        fmt::format("tensor \"{}\" should lie at bytes {} to {} of {}, which does not fit "
                    "its shape or the file; it is damaged or cut short",
                    name, entry.begin, entry.end, reader.data_size()));
  }
  return entry;
}

/// In the order of the file. The tensors must fill it without gaps or overlaps, as the format
/// demands.
std::vector<Entry> parse_entries(const Reader& reader, const json& header) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != format::kMetadata) entries.push_back(parse_entry(reader, name, value));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) reader.fail("tensor \"" + entry.name + "\" is misplaced");
    position = entry.end;
  }
  if (position != reader.data_size()) reader.fail("the file is longer than its tensors");
  return entries;
}

std::map<std::string, std::string> without_our_keys(std::map<std::string, std::string> metadata) {
  metadata.erase(format::kVersionKey);
  metadata.erase(format::kChecksumKey);
  return metadata;
}

}  // namespace

TensorFile load_tensors(const path& file) {
  Reader reader(file);
  const json header = reader.read_header();
  TensorFile content{{}, parse_metadata(reader, header)};
  uint64_t checksum = format::header_checksum(header);
  for (const Entry& entry : parse_entries(reader, header)) {
    torch::Tensor tensor = torch::empty(entry.shape, entry.type);
    reader.read(tensor.data_ptr(), entry.end - entry.begin);
    checksum = format::add_to_checksum(checksum, tensor);
    content.tensors[entry.name] = std::move(tensor);
  }
  if (content.metadata[format::kChecksumKey] != format::checksum_text(checksum)) {
    reader.fail(
        fmt::format("the checksum is {}, but the file says {}; it is damaged: train or "
                    "copy it again",
                    format::checksum_text(checksum), content.metadata[format::kChecksumKey]));
  }
  content.metadata = without_our_keys(std::move(content.metadata));
  return content;
}

std::map<std::string, std::string> load_metadata(const path& file) {
  Reader reader(file);
  const json header = reader.read_header();
  parse_entries(reader, header);
  return without_our_keys(parse_metadata(reader, header));
}

}  // namespace attend::model
