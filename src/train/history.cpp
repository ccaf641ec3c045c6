#include "train/history.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/file.h"

namespace attend::train {
namespace {

/// The end of the last of at most `lines` complete lines of `text`; `lines` becomes their number.
std::size_t end_of_lines(const std::string& text, int64_t& lines) {
  std::size_t end = 0;
  int64_t found = 0;
  while (found < lines) {
    const std::size_t newline = text.find('\n', end);
    if (newline == std::string::npos) break;
    end = newline + 1;
    ++found;
  }
  lines = found;
  return end;
}

}  // namespace

History::History(const std::filesystem::path& path, int64_t lines) : path_(path), lines_(lines) {
  std::string kept;
  if (lines > 0 && std::filesystem::exists(path)) kept = read_file(path);
  kept.resize(end_of_lines(kept, lines_));
  write_file_atomically(path, kept);
  stream_.open(path, std::ios::binary | std::ios::app);
  if (!stream_) throw DataError(path, "the file cannot be written");
}

void History::add(const nlohmann::json& object) {
  stream_ << object.dump() << '\n' << std::flush;
  if (!stream_) throw DataError(path_, "the file cannot be written; is the disk full?");
  ++lines_;
}

}  // namespace attend::train
