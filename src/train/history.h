#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace attend::train {

/// train.jsonl: one JSON object per line, each complete in the file as soon as it was added. A line
/// that cannot be written leaves no part of itself in the file; it waits and goes before the next.
class History {
 public:
  /// Keeps the first `lines` lines of the file (fewer if it has fewer; 0 starts a new one). Throws
  /// DataError if the file cannot be written.
  History(const std::filesystem::path& path, int64_t lines);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Throws DataError if the line cannot be written; it counts nevertheless.
  void add(const nlohmann::json& object);
  /// Has everything on the disk, so that a state saved after it never knows of more lines than the
  /// file has. Throws DataError.
  void flush_to_disk();

  /// All that were added, with those that wait.
  [[nodiscard]] int64_t lines() const { return lines_; }

 private:
  void write_waiting();

  std::filesystem::path path_;
  int64_t lines_ = 0;
  int descriptor_ = -1;
  int64_t size_ = 0;     // of the complete lines in the file
  std::string waiting_;  // lines that are not in the file yet
};

}  // namespace attend::train
