#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/log.h"

namespace attend::cli {
namespace {

constexpr double kSecondsBetweenLiveLines = 0.25;
constexpr double kSecondsBetweenReadingLines = 10.0;
constexpr double kLeastShareForEstimate = 1e-4;

void clear_line() {
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

double rate(int64_t count, double seconds) {
  return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
}

std::string quality(const train::ValidationResult& result) {
  const std::string bleu = result.bleu ? fmt::format(" bleu={:.2f}", *result.bleu) : "";
  return fmt::format("loss={:.4f} nats/tok ppl={:.2f}{}", result.loss,
                     train::perplexity(result.loss), bleu);
}

}  // namespace

std::string short_count(double count) {
  if (count < 1e3) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.1f}M", count / 1e6);
}

std::string short_duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  const auto minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{}m", minutes);
  return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

TrainingProgress::TrainingProgress(bool quiet) : live_(!quiet && ::isatty(STDERR_FILENO) == 1) {
  if (live_) log::set_before_write(clear_line);
}

TrainingProgress::~TrainingProgress() {
  if (!live_) return;
  clear_line();
  log::set_before_write(nullptr);
}

void TrainingProgress::on_reading(const data::ReadingProgress& report) {
  const bool another =
      std::string_view(report.what) != read_.what || report.seconds < read_.seconds;
  if (another) read_ = {report.what, 0, 0.0, 0.0};
  const double wait = live_ ? kSecondsBetweenLiveLines : kSecondsBetweenReadingLines;
  if (report.seconds - read_.seconds < wait) return;
  const double speed = rate(report.lines - read_.lines, report.seconds - read_.seconds);
  const double left =
      report.seconds / std::max(report.share, kLeastShareForEstimate) * (1.0 - report.share);
  const std::string line =
      fmt::format("{}: lines={} lines/s={} done={:.1f}% eta={}", report.what, report.lines,
                  short_count(speed), 100.0 * report.share, short_duration(left));
  read_ = report;
  if (live_) return show_line(line);
  log::info("{}", line);
}

void TrainingProgress::on_update(const train::UpdateReport& report) {
  if (!started_) start_ = shown_ = report.point;
  started_ = true;
  tokens_since_shown_ += report.target_tokens;
  if (live_ && report.point.seconds - shown_.seconds >= kSecondsBetweenLiveLines) show_live(report);
}

void TrainingProgress::on_interval(const train::IntervalReport& report) {
  const std::string line = fmt::format(
      "update={} epoch={:.2f} loss={:.3f} nats/tok ppl={:.2f} lr={:.1e} norm={:.2f} tok/s={} "
      "eta={}",
      report.point.update, report.point.epochs, report.loss, train::perplexity(report.loss),
      report.learning_rate, report.gradient_norm,
      short_count(rate(report.target_tokens, report.seconds)), time_left(report.point));
  // The live line shows the same, so that a terminal keeps the validations only.
  log::write(live_ ? log::Level::kDebug : log::Level::kInfo, line);
}

void TrainingProgress::on_validation(const train::ValidationReport& report) {
  const std::string what = report.averaged_snapshots > 0
                               ? fmt::format("average of {}", report.averaged_snapshots)
                               : "validation";
  log::info("{} update={} epoch={:.2f} {} best={} took={} eta={}", what, report.point.update,
            report.point.epochs, quality(report.result), report.best ? "yes" : "no",
            short_duration(report.seconds), time_left(report.point));
}

void TrainingProgress::on_skip(const train::SkipReport& report) {
  log::warning("update {} was left out: loss per token {}, gradient norm {} ({} in a row); {}",
               report.point.update, report.loss, report.gradient_norm, report.in_a_row,
               report.batch);
}

void TrainingProgress::on_save_error(const train::SaveErrorReport& report) {
  log::warning("update {}: {}", report.point.update, report.message);
}

std::string TrainingProgress::time_left(const train::RunPoint& point) const {
  const double share = point.done - start_.done;
  if (!started_ || share < kLeastShareForEstimate) return "?";
  return short_duration((point.seconds - start_.seconds) / share * (1.0 - point.done));
}

void TrainingProgress::show_live(const train::UpdateReport& report) {
  const double seconds = report.point.seconds - shown_.seconds;
  std::string line = fmt::format("update {}  epoch {:.2f}  loss {:.3f}  {} tok/s  {:.0f}%  eta {}",
                                 report.point.update, report.point.epochs, report.loss,
                                 short_count(rate(tokens_since_shown_, seconds)),
                                 100.0 * report.point.done, time_left(report.point));
  show_line(std::move(line));
  shown_ = report.point;
  tokens_since_shown_ = 0;
}

void TrainingProgress::show_line(std::string line) const {
  line.resize(std::min(line.size(), terminal_width() - 1));
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace attend::cli
