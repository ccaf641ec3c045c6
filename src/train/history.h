#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace attend::train {

/// train.jsonl: one JSON object per line. add() writes a complete line. If that fails, the file
/// keeps no part of the line, and the line is written before the next one.
class History {
 public:
  /// Keeps the first `lines` lines of the file, or all if it has fewer; 0 starts a new file. Throws
  /// DataError if the file cannot be written.
  History(const std::filesystem::path& path, int64_t lines);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Throws DataError if the line cannot be written; lines() counts it nevertheless.
  void add(const nlohmann::json& object);
  /// Flushes the file to the disk, so that a state saved afterwards never counts more lines than
  /// the file has. Throws DataError.
  void flush_to_disk();

  /// Lines that were added, including those not yet written.
  [[nodiscard]] int64_t lines() const { return lines_; }
  /// CRC-32 of these lines.
  [[nodiscard]] uint64_t checksum() const { return checksum_; }

 private:
  void write_waiting();

  std::filesystem::path path_;
  int64_t lines_ = 0;
  uint64_t checksum_ = 0;
  int descriptor_ = -1;
  int64_t size_ = 0;     // bytes of the complete lines in the file
  std::string waiting_;  // lines not yet in the file
};

/// Describes what is lost of the `lines` lines that a run wrote: the file, or the last of them.
/// Empty if nothing is lost. `checksum`: CRC-32 of these lines; 0: unknown. Throws DataError if the
/// file holds other lines, which the run would remove, or cannot be read.
[[nodiscard]] std::string lost_history(const std::filesystem::path& path, int64_t lines,
                                       uint64_t checksum);

/// Returns the objects of a train.jsonl in order; none if there is no file. Skips lines that are
/// not JSON objects, such as an incomplete last line. Throws DataError if the file cannot be read
/// or a value does not have the type that training writes for its key.
[[nodiscard]] std::vector<nlohmann::json> read_history(const std::filesystem::path& path);

}  // namespace attend::train
