#include "train/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string_view>

namespace attend::train {
namespace {

double constant(const TrainingOptions& /*options*/, const SchedulePoint& /*point*/) {
  return 1.0;
}

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

double one_cycle(const TrainingOptions& options, const SchedulePoint& point) {
  double done = 0.0;
  if (options.max_epochs > 0) done = point.epochs / static_cast<double>(options.max_epochs);
  if (options.max_minutes > 0.0) done = std::max(done, point.minutes / options.max_minutes);
  const int64_t updates = options.max_updates - options.warmup_updates;
  if (updates > 0) {
    const auto late = static_cast<double>(point.update - options.warmup_updates);
    done = std::max(done, late / static_cast<double>(updates));
  }
  return 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(done, 0.0, 1.0)));
}

struct Schedule {
  std::string_view name;
  double (*decay)(const TrainingOptions&, const SchedulePoint&);
};

constexpr std::array<Schedule, 6> kSchedules = {{{"constant", constant},
                                                 {"inverse_sqrt", inverse_sqrt},
                                                 {"exponential", exponential},
                                                 {"plateau", plateau},
                                                 {"halving", halving},
                                                 {"one_cycle", one_cycle}}};

double decay_of(const TrainingOptions& options, const SchedulePoint& point) {
  for (const Schedule& schedule : kSchedules) {
    if (schedule.name == options.schedule) return schedule.decay(options, point);
  }
  throw std::logic_error("learning_rate: unknown schedule " + options.schedule);
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
