#include "core/log.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <mutex>

#include "core/error.h"

namespace attend::log {

namespace {

struct Logger {
  std::mutex mutex;
  Level least = Level::kInfo;
  bool terminal = ::isatty(STDERR_FILENO) == 1;
  bool color = terminal && std::getenv("NO_COLOR") == nullptr;
  std::ofstream file;
  void (*clear_line)() = nullptr;
};

// The one logger of the process: where messages go is decided once by the command line, and every
// layer that logs would otherwise have to carry it.
Logger& logger() {
  static Logger instance;
  return instance;
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

struct Look {
  std::string_view name;
  std::string_view color;
};

Look look_of(Level level) {
  if (level == Level::kWarning) return {"warning: ", "\x1b[33m"};
  if (level == Level::kError) return {"error: ", "\x1b[31m"};
  return {"", ""};
}

void write_to_stderr(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void set_up(Level level, const std::filesystem::path& file) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.least = level;
  log.file = std::ofstream();
  if (file.empty()) return;
  log.file.open(file, std::ios::app);
  if (!log.file) {
    throw DataError(file, fmt::format("cannot write the log file: {}", std::strerror(errno)));
  }
}

void write(Level level, std::string_view message) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  const std::string time = time_of_day();
  const Look look = look_of(level);
  if (log.file.is_open()) {
    log.file << fmt::format("{} {}{}\n", time, look.name, message) << std::flush;
  }
  if (level < log.least) return;
  if (log.terminal && log.clear_line != nullptr) log.clear_line();
  const bool colored = log.color && !look.color.empty();
  write_to_stderr(fmt::format("{} {}{}{}{}\n", time, colored ? look.color : "", look.name,
                              colored ? "\x1b[0m" : "", message));
}

void report(std::string_view message) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  if (log.file.is_open()) log.file << fmt::format("{} {}\n", time_of_day(), message) << std::flush;
  if (log.terminal && log.clear_line != nullptr) log.clear_line();
  write_to_stderr(fmt::format("{}\n", message));
}

void set_before_write(void (*clear_line)()) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.clear_line = clear_line;
}

}  // namespace attend::log
