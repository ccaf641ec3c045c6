#include "app/run/late_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/log.h"

namespace attend::app {
namespace {

constexpr double kSecondsUntilRatesAreKnown = 60.0;
constexpr double kSecondsPerHour = 3600.0;

/// Seconds to cover `distance`, given that covering `gained` took `seconds`.
double time_for(double distance, double gained, double seconds) {
  return gained > 0.0 ? distance / gained * seconds : std::numeric_limits<double>::infinity();
}

}  // namespace

double LateValidationWarning::seconds_to_validation(const train::RunPoint& now) const {
  const double seconds = now.seconds - begin_->seconds;
  const auto updates = static_cast<double>(now.update - begin_->update);
  double least = time_for(1.0 - now.done, now.done - begin_->done, seconds);  // at the run's end
  if (every_.updates > 0) {
    const auto left = static_cast<double>(every_.updates - now.update % every_.updates);
    least = std::min(least, time_for(left, updates, seconds));
  }
  if (every_.epochs > 0) {
    const auto epochs = static_cast<double>(every_.epochs);
    const double left = epochs - std::fmod(now.epochs, epochs);
    least = std::min(least, time_for(left, now.epochs - begin_->epochs, seconds));
  }
  return least;
}

void LateValidationWarning::on_update(const train::UpdateReport& report) {
  if (judged_) return;
  if (!begin_) begin_ = report.point;
  const double seconds = report.point.seconds - begin_->seconds;
  if (seconds < kSecondsUntilRatesAreKnown) return;
  judged_ = true;
  const double hours = seconds_to_validation(report.point) / kSecondsPerHour;
  if (hours < kHours) return;
  const double per_hour =
      static_cast<double>(report.point.update - begin_->update) / seconds * kSecondsPerHour;
  log::warning(
      "the next validation is {} hours away; to validate earlier, set "
      "training.validate_every.updates "
      "(training makes about {:.0f} updates per hour)",
      std::isfinite(hours) ? fmt::format("about {:.0f}", hours) : std::string("countless"),
      per_hour);
}

}  // namespace attend::app
