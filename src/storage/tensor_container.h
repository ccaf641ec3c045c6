#pragma once
// The container format of tensor files, without LibTorch, so that it can be fuzzed. The writer and
// the reader share the constants here and the functions in storage/tensor_format.h.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attend::storage::tensor_format {

inline constexpr auto kMetadata = "__metadata__";
inline constexpr auto kVersionKey = "attend_format";
inline constexpr auto kVersion = "1";
inline constexpr auto kChecksumKey = "checksum";
inline constexpr uint64_t kMostHeaderBytes = 100'000'000;  // limit of the safetensors library
inline constexpr uint64_t kAlignment = 8;                  // of the first tensor in the file
inline constexpr std::size_t kMostDimensions = 64;

/// The checksum as written in the metadata: "crc32:0123abcd".
[[nodiscard]] std::string checksum_text(uint64_t checksum);
/// Starts the checksum of a file, which covers the header without the checksum itself and then all
/// tensor bytes.
[[nodiscard]] uint64_t header_checksum(nlohmann::json header);

/// The name, type, shape and position of one tensor in a file.
struct Entry {
  std::string name;
  std::string type;  ///< safetensors name, such as "F32"
  std::vector<int64_t> shape;
  uint64_t begin = 0;  ///< byte offset after the header
  uint64_t end = 0;

  [[nodiscard]] uint64_t bytes() const { return end - begin; }
};

/// Reads an untrusted tensor file from front to back. Every length and shape is checked against the
/// size of the file before it is returned.
class ContainerReader {
 public:
  /// Opens the file and reads its header. Like all functions below, throws ModelFileError for a
  /// file that is missing, truncated, foreign, malformed or of another format version.
  explicit ContainerReader(const std::filesystem::path& file);

  /// The entries in file order, without gaps or overlaps. The size of each matches its shape and
  /// type.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// The metadata without our version and checksum.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Reads the next `count` bytes of tensors.
  void read(void* target, uint64_t count);
  /// Compares the checksums. Requires: all entries were read, in order.
  void check() const;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void read_bytes(void* target, uint64_t count);
  [[nodiscard]] nlohmann::json read_header();
  [[nodiscard]] nlohmann::json parse_header(const std::string& text) const;
  void take_metadata(const nlohmann::json& header);
  void take_entries(const nlohmann::json& header);
  [[nodiscard]] Entry parse_entry(const std::string& name, const nlohmann::json& value) const;

  std::filesystem::path path_;
  std::ifstream stream_;
  uint64_t size_ = 0;       // of the file
  uint64_t data_size_ = 0;  // of all tensors
  std::map<std::string, std::string> metadata_;
  std::vector<Entry> entries_;
  std::string expected_checksum_;
  uint64_t checksum_ = 0;  // of the bytes read so far
};

}  // namespace attend::storage::tensor_format
