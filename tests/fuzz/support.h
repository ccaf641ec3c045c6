#pragma once
// What fuzz targets share. A target is one function, LLVMFuzzerTestOneInput, that must return
// whatever bytes it gets: errors for users are caught, broken promises end the process.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace attend::fuzz {

/// Ends the process, which counts as a crash, unless `holds`.
void require(bool holds, const char* promise);

[[nodiscard]] std::string_view text_of(const uint8_t* data, std::size_t size);

/// A file that lives in memory alone.
class MemoryFile {
 public:
  /// Throws std::system_error.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The path of the file, which now holds `content`. Throws std::system_error.
  const std::filesystem::path& holding(std::string_view content);

 private:
  int descriptor_;
  std::filesystem::path path_;
};

}  // namespace attend::fuzz
