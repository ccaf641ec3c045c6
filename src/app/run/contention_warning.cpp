#include "app/run/contention_warning.h"

#include <fmt/format.h>

#include <ctime>
#include <string>

#include "core/log.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

constexpr double kSecondsToLookAt = 5.0;
constexpr double kExpectedShare = 0.7;  // above 0.99 on an idle machine, except while saving

std::string advice() {
  return fmt::format(
      ". Try {} 1, or the environment variable GOMP_SPINCOUNT=10000, which shortens the busy "
      "waiting "
      "of threads for each other",
      option_name("threads"));
}

}  // namespace

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void ContentionWarning::on_update(const train::UpdateReport& report) {
  if (warned_) return;
  const Times now{report.point.seconds, cpu_seconds_()};
  if (!begin_) begin_ = now;
  const double seconds = now.wall - begin_->wall;
  if (seconds < kSecondsToLookAt) return;
  const double share = (now.cpu - begin_->cpu) / seconds;
  begin_ = now;
  if (share >= kExpectedShare) return;
  warned_ = true;
  log::warning("training gets {:.0f} % of its CPU time; other programs are using the cores{}",
               100.0 * share, threads_ > 1 ? advice() : "");
}

}  // namespace attend::app
