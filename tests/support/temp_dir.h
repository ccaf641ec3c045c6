#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace attend::test {

/// A new folder, removed with all its files by the destructor.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Writes `content` to the file `name` in the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// The whole content of a file. Fails with std::runtime_error if it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace attend::test
