#include "train/history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/fault_point.h"
#include "core/file.h"

namespace attend::train {
namespace {

/// Returns the end of the first `lines` complete lines of `text`; if there are fewer, sets `lines`
/// to their number.
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

/// False for a file that exists but cannot be opened; reading it reports the error.
bool is_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw DataError(path, fmt::format("cannot write the file: {}", std::strerror(error)));
}

/// Checks the types of the keys, because readers use them unchecked.
void check_types(const nlohmann::json& object, const std::filesystem::path& path, int64_t line) {
  try {
    (void)object.value("type", std::string());
    (void)object.value("best", false);
    (void)object.value("update", 0.0);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(path, line, fmt::format("not a line of attend's history: {}", error.what()));
  }
}

}  // namespace

History::History(const std::filesystem::path& path, int64_t lines) : path_(path), lines_(lines) {
  std::string kept;
  if (lines > 0 && !is_missing(path)) kept = read_file(path);
  kept.resize(end_of_lines(kept, lines_));
  checksum_ = add_to_checksum(0, kept.data(), kept.size());
  write_file_atomically(path, kept);
  size_ = static_cast<int64_t>(kept.size());
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(path, errno);
}

History::~History() {
  ::close(descriptor_);
}

void History::add(const nlohmann::json& object) {
  const std::string line = object.dump() + '\n';
  waiting_ += line;
  checksum_ = add_to_checksum(checksum_, line.data(), line.size());
  ++lines_;
  write_waiting();
}

void History::flush_to_disk() {
  write_waiting();
  if (const int error = fault_point("flush", path_); error != 0) fail(path_, error);
  if (::fsync(descriptor_) != 0) fail(path_, errno);
}

void History::write_waiting() {
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const int fault = fault_point("append to", path_);
    const ssize_t count = fault == 0 ? ::write(descriptor_, rest.data(), rest.size()) : -1;
    const int error = fault == 0 ? errno : fault;
    if (count < 0 && error == EINTR) continue;
    if (count < 0) {
      [[maybe_unused]] const int half_a_line_gone = ::ftruncate(descriptor_, size_);
      fail(path_, error);
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  size_ += static_cast<int64_t>(waiting_.size());
  waiting_.clear();
}

std::string lost_history(const std::filesystem::path& path, int64_t lines, uint64_t checksum) {
  if (lines == 0) return "";
  if (is_missing(path))
    return fmt::format("{}: there is no such file; the run had written {} lines", path.string(),
                       lines);
  const std::string text = read_file(path);
  int64_t found = lines;
  const std::size_t end = end_of_lines(text, found);
  if (found < lines)
    return fmt::format("{}: it has {} of the {} lines that the run had written", path.string(),
                       found, lines);
  if (checksum == 0 || add_to_checksum(0, text.data(), end) == checksum) return "";
  throw DataError(path, fmt::format("it does not hold the {} lines that the run had written; put "
                                    "the run's file back, or move this one away to resume "
                                    "without it",
                                    lines));
}

std::vector<nlohmann::json> read_history(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  std::vector<nlohmann::json> history;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    auto object = nlohmann::json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) continue;
    check_types(object, path, reader.line_number());
    history.push_back(std::move(object));
  }
  return history;
}

}  // namespace attend::train
