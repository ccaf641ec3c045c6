#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>

namespace attend::train {

/// train.jsonl: one JSON object per line, each complete in the file as soon as it was added.
class History {
 public:
  /// Keeps the first `lines` lines of the file (fewer if it has fewer; 0 starts a new one). Throws
  /// DataError if the file cannot be written.
  History(const std::filesystem::path& path, int64_t lines);

  /// Throws DataError if the line cannot be written.
  void add(const nlohmann::json& object);

  [[nodiscard]] int64_t lines() const { return lines_; }

 private:
  std::filesystem::path path_;
  int64_t lines_ = 0;
  std::ofstream stream_;
};

}  // namespace attend::train
