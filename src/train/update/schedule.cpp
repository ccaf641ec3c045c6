#include "train/update/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace attend::train {
namespace {

double inverse_sqrt(const TrainingOptions& options, const SchedulePoint& point) {
  if (point.update <= options.warmup_updates) return 1.0;
  return std::sqrt(static_cast<double>(options.warmup_updates) / static_cast<double>(point.update));
}

double exponential(const TrainingOptions& options, const SchedulePoint& point) {
  const auto late = static_cast<double>(point.update - options.decay.start_updates);
  if (late <= 0.0) return 1.0;
  return std::pow(options.decay.factor, late / static_cast<double>(options.decay.every_updates));
}

double plateau(const TrainingOptions& options, const SchedulePoint& point) {
  return std::pow(options.decay.factor, static_cast<double>(point.cuts));
}

double halving(const TrainingOptions& options, const SchedulePoint& point) {
  const double late = point.epochs - options.decay.start_epochs;
  if (late < 0.0) return 1.0;
  return std::pow(options.decay.factor, 1.0 + std::floor(late / options.decay.every_epochs));
}

/// Returns the finished share of the way from the end of the warm-up to a limit, if `share` of the
/// whole way is finished. The end of the warm-up is estimated from the pace so far.
double done_after_warmup(const TrainingOptions& options, const SchedulePoint& point, double share) {
  // Limits the estimate: on a slow machine the warm-up may last until the end of the run.
  constexpr double kLatest = 0.75;
  const double updates = static_cast<double>(point.update) / share;  // of the whole run
  const double start = std::min(static_cast<double>(options.warmup_updates) / updates, kLatest);
  return (share - start) / (1.0 - start);
}

double one_cycle(const TrainingOptions& options, const SchedulePoint& point) {
  const std::pair<double, double> limits[] = {
      {point.epochs, static_cast<double>(options.max_epochs)},
      {point.minutes, options.max_minutes},
      {static_cast<double>(point.update), static_cast<double>(options.max_updates)}};
  double done = 0.0;
  for (const auto& [reached, limit] : limits) {
    if (limit == 0.0 || reached == 0.0) continue;
    done = std::max(done, done_after_warmup(options, point, reached / limit));
  }
  return 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(done, 1.0)));
}

double decay_of(const TrainingOptions& options, const SchedulePoint& point) {
  switch (options.schedule) {
    case ScheduleKind::constant:
      return 1.0;
    case ScheduleKind::inverse_sqrt:
      return inverse_sqrt(options, point);
    case ScheduleKind::exponential:
      return exponential(options, point);
    case ScheduleKind::plateau:
      return plateau(options, point);
    case ScheduleKind::halving:
      return halving(options, point);
    case ScheduleKind::one_cycle:
      return one_cycle(options, point);
  }
  return 1.0;
}

double warmup(const TrainingOptions& options, const SchedulePoint& point) {
  if (point.update >= options.warmup_updates) return 1.0;
  return static_cast<double>(point.update) / static_cast<double>(options.warmup_updates);
}

}  // namespace

double learning_rate(const TrainingOptions& options, const SchedulePoint& point) {
  const double peak = options.learning_rate;
  const double floor = std::min(peak, options.decay.minimum);
  return warmup(options, point) * std::max(peak * decay_of(options, point), floor);
}

double alignment_weight(const GuidedAlignmentOptions& options, double epochs) {
  return options.weight * std::pow(options.decay, std::floor(epochs));
}

}  // namespace attend::train
