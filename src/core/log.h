#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace attend::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// Sets the least level shown on standard error and, if `file` is not empty, appends everything to
/// that file as well; each line has left the process when write() returns, so that a crash loses
/// none. With `limit` > 0, in bytes, a line that would make the file longer goes to a new one, and
/// the old one is kept under one further name ("train.log" as "train.1.log", in the place of the
/// one before), so that the two never hold more than twice the limit (unless `file` is no regular
/// one). Throws DataError if the file cannot be opened. Colour only on a terminal and without
/// NO_COLOR.
void set_up(Level level, const std::filesystem::path& file, std::size_t limit = 0);

/// A line on standard error: "HH:MM:SS message", with the level's name before warnings and errors.
/// Control characters but ends of lines and tabs are written out ("\x1b"), as in reports.
void write(Level level, std::string_view message);

/// The program's last words: `message` as it is on standard error, whatever the level, and with the
/// time in the log file.
void report(std::string_view message);

/// Called before anything is logged to a terminal, so that a live progress line can get out of the
/// way.
void set_before_write(void (*clear_line)());

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace attend::log
