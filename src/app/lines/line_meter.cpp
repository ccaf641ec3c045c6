#include "app/lines/line_meter.h"

#include <algorithm>
#include <utility>

namespace attend::app {

LineMeter::LineMeter(ReportProgress report, const char* what)
    : report_(std::move(report)), what_(what), start_(std::chrono::steady_clock::now()) {}

void LineMeter::pass(const Place& place) {
  const std::lock_guard lock(mutex_);
  passed_ = read_ = place;
  done_ = 0;
}

void LineMeter::read(const Place& place) {
  const std::lock_guard lock(mutex_);
  read_ = place;
}

void LineMeter::add(int64_t lines) {
  const std::lock_guard lock(mutex_);
  done_ += lines;
  if (!report_ || read_.share <= 0.0) return;
  const auto between = static_cast<double>(std::max<int64_t>(read_.lines - passed_.lines, 1));
  const double part = std::min(static_cast<double>(done_) / between, 1.0);
  const double share = passed_.share + part * (read_.share - passed_.share);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  report_({what_, passed_.lines + done_, share, seconds.count()});
}

}  // namespace attend::app
