#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace attend::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// Sets the least level shown on standard error and, if `file` is not empty, writes everything to
/// that file as well. Throws DataError if the file cannot be opened. Colour only on a terminal and
/// without NO_COLOR.
void set_up(Level level, const std::filesystem::path& file);

/// One line on standard error: "HH:MM:SS message", with the level's name before warnings and
/// errors.
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
