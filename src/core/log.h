#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace attend::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// Sets the lowest level shown on standard error. If `file` is not empty, appends all messages to
/// it as well and flushes each line, so that a crash loses none. With `limit` > 0 bytes, a regular
/// file that would grow beyond the limit is rotated: "train.log" replaces "train.1.log", and a new
/// "train.log" begins. The two files never exceed twice the limit. Throws DataError if the file
/// cannot be opened. Colours are used only on a terminal and if NO_COLOR is not set.
void set_up(Level level, const std::filesystem::path& file, std::size_t limit = 0);

/// Writes "HH:MM:SS message", with the level's name before the message of a warning or error.
/// Control characters except line feeds and tabs are escaped ("\x1b"), also in report().
void write(Level level, std::string_view message);

/// Writes the program's final message, whatever level is shown: to standard error without the time,
/// to the log file with it.
void report(std::string_view message);

/// Sets a function to call before each message to a terminal, to clear a live progress line.
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
