#include "cli/line_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <string_view>

#include "core/log.h"

namespace attend::cli {
namespace {

constexpr double kSecondsBetweenLogLines = 10.0;

std::string time_left(const data::ReadingProgress& first, const data::ReadingProgress& now) {
  return time_for(1.0 - now.share, now.share - first.share, now.seconds - first.seconds);
}

}  // namespace

std::string short_count(double count) {
  if (count < 999.5) return fmt::format("{:.0f}", count);
  if (count < 999.95e3) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.1f}M", count / 1e6);
}

std::string short_duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  const auto minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{}m", minutes);
  return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

std::string time_for(double share, double done, double seconds) {
  constexpr double kLeastForEstimate = 1e-4;
  return done < kLeastForEstimate ? "?" : short_duration(seconds / done * share);
}

double rate(int64_t count, double seconds) {
  return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
}

void LineProgress::report(const data::ReadingProgress& report) {
  const bool another =
      std::string_view(report.what) != first_.what || report.seconds < shown_.seconds;
  if (another) first_ = shown_ = report;
  const double seconds = report.seconds - shown_.seconds;
  if (seconds < (live_.exists() ? LiveLine::kSeconds : kSecondsBetweenLogLines)) return;
  std::string line =
      fmt::format("{}: lines={} lines/s={} done={:.1f}% eta={}", report.what, report.lines,
                  short_count(rate(report.lines - shown_.lines, seconds)), 100.0 * report.share,
                  time_left(first_, report));
  shown_ = report;
  if (live_.exists()) return live_.show(std::move(line));
  log::info("{}", line);
}

CommandProgress::CommandProgress(bool quiet, const std::filesystem::path& output)
    : hidden_(quiet || (output == "-" && ::isatty(STDOUT_FILENO) == 1)), live_(!hidden_) {}

app::ReportProgress CommandProgress::reporter() {
  if (hidden_) return {};
  return [this](const data::ReadingProgress& report) { lines_.report(report); };
}

}  // namespace attend::cli
