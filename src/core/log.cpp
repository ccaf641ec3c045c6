#include "core/log.h"

#include <fcntl.h>
#include <spdlog/details/os.h>
#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>

#include "core/error.h"

namespace attend::log {

namespace {

/// The level of report(); no other message uses it.
constexpr auto kReport = spdlog::level::critical;
constexpr std::size_t kOldLogFiles = 1;

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      break;
  }
  return spdlog::level::err;
}

std::string_view prefix_of(spdlog::level::level_enum level) {
  if (level == spdlog::level::warn) return "warning: ";
  if (level == spdlog::level::err) return "error: ";
  return "";
}

bool is_terminal_control(unsigned char c) {
  return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

// Escapes control characters: messages quote untrusted names, which must not control the terminal.
// In UTF-8, U+0080 to U+009F begin with the byte 0xC2.
void append_message(std::string_view message, spdlog::memory_buf_t& line) {
  constexpr unsigned char kFirstC1 = 0x80;
  constexpr unsigned char kAfterC1 = 0xA0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto c = static_cast<unsigned char>(message[i]);
    const auto next = static_cast<unsigned char>(i + 1 < message.size() ? message[i + 1] : 0);
    const bool c1 = c == 0xC2 && next >= kFirstC1 && next < kAfterC1;
    if (is_terminal_control(c) || c1) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", c1 ? next : c);
    } else {
      line.push_back(message[i]);
    }
    if (c1) ++i;
  }
}

enum class Reports { kAsTheyAre, kWithTime };

/// Formats "HH:MM:SS warning: message", with the level's name in colour.
class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(Reports reports) : reports_(reports) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    if (message.level != kReport || reports_ == Reports::kWithTime) add_time(message, line);
    const std::string_view prefix = prefix_of(message.level);
    message.color_range_start = line.size();
    line.append(prefix.data(), prefix.data() + prefix.size());
    message.color_range_end = line.size();
    append_message({message.payload.data(), message.payload.size()}, line);
    line.push_back('\n');
  }

  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(reports_);
  }

 private:
  static void add_time(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) {
    const auto time = spdlog::log_clock::to_time_t(message.time);
    const std::tm local = spdlog::details::os::localtime(time);
    fmt::format_to(std::back_inserter(line), "{:02}:{:02}:{:02} ", local.tm_hour, local.tm_min,
                   local.tm_sec);
  }

  Reports reports_;
};

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

spdlog::color_mode color_mode() {
  const bool color = stderr_is_terminal() && std::getenv("NO_COLOR") == nullptr;
  return color ? spdlog::color_mode::always : spdlog::color_mode::never;
}

using ScreenBase = spdlog::sinks::ansicolor_stderr_sink<spdlog::details::console_nullmutex>;

/// Writes to standard error, after clearing a live progress line.
class ScreenSink final : public ScreenBase {
 public:
  ScreenSink() : ScreenBase(color_mode()), terminal_(stderr_is_terminal()) {
    set_color(spdlog::level::warn, yellow);
    set_color(spdlog::level::err, red);
    set_formatter(std::make_unique<LineFormatter>(Reports::kAsTheyAre));
  }

  void log(const spdlog::details::log_msg& message) override {
    if (terminal_ && clear_ != nullptr) clear_();
    ScreenBase::log(message);
  }

  void set_before_write(void (*clear)()) { clear_ = clear; }

 private:
  bool terminal_;
  void (*clear_)() = nullptr;
};

// Opens the file first, because spdlog would create missing folders and retry.
void check_log_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw DataError(file, fmt::format("cannot write the log file: {}", std::strerror(errno)));
  }
  ::close(descriptor);
}

spdlog::sink_ptr open_log_file(const std::filesystem::path& file, std::size_t limit) {
  check_log_file(file);
  const bool rotates = limit > 0 && std::filesystem::is_regular_file(file);
  spdlog::sink_ptr sink;
  if (rotates) {
    sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>(file, limit, kOldLogFiles);
  } else {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(file);
  }
  sink->set_formatter(std::make_unique<LineFormatter>(Reports::kWithTime));
  return sink;
}

struct Logger {
  Logger() {
    spdlog.set_level(spdlog::level::trace);  // each sink has its own
    spdlog.flush_on(spdlog::level::trace);
    spdlog.set_error_handler([this](const std::string& what) { warn(what); });
    screen->set_level(spdlog::level::info);
  }

  // Continue on a full disk; warn once on standard error.
  void warn(const std::string& what) {
    if (std::exchange(warned, true)) return;
    const std::string text = "the log file is incomplete: " + what;
    screen->log({spdlog.name(), spdlog::level::warn, text});
  }

  std::mutex mutex;  // guards the members below; the sinks have no locks
  std::shared_ptr<ScreenSink> screen = std::make_shared<ScreenSink>();
  spdlog::logger spdlog{"attend", screen};
  bool warned = false;
};

// One of the few globals: the command line sets it up once, and every layer can log without
// passing it along.
Logger& logger() {
  static Logger instance;
  return instance;
}

}  // namespace

void set_up(Level level, const std::filesystem::path& file, std::size_t limit) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.screen->set_level(spdlog_level(level));
  log.spdlog.sinks() = {log.screen};
  if (!file.empty()) log.spdlog.sinks().push_back(open_log_file(file, limit));
}

void write(Level level, std::string_view message) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.spdlog.log(spdlog_level(level), message);
}

void report(std::string_view message) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.spdlog.log(kReport, message);
}

void set_before_write(void (*clear_line)()) {
  Logger& log = logger();
  const std::lock_guard lock(log.mutex);
  log.screen->set_before_write(clear_line);
}

}  // namespace attend::log
