#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

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

/// The objects of such a file in their order; none if there is no file. Lines that are not JSON
/// objects, such as a last one that was being written, are left out. Throws DataError if it cannot
/// be read, and for a line whose keys are not of the types that training writes.
[[nodiscard]] std::vector<nlohmann::json> read_history(const std::filesystem::path& path);

}  // namespace attend::train
