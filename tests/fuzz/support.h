#pragma once
// Helpers of the fuzz targets. A target is one function, LLVMFuzzerTestOneInput, that must return
// for any bytes: it catches user errors, and a failed require() ends the process.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace attend::fuzz {

/// Ends the process, which counts as a crash, if `holds` is false.
void require(bool holds, const char* promise);

[[nodiscard]] std::string_view text_of(const uint8_t* data, std::size_t size);

/// A file in memory.
class MemoryFile {
 public:
  /// Throws std::system_error.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Writes `content` to the file and returns its path. Throws std::system_error.
  const std::filesystem::path& holding(std::string_view content);

 private:
  int descriptor_;
  std::filesystem::path path_;
};

}  // namespace attend::fuzz
