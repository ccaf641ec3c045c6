#include "train/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace attend::train {
namespace {

double share(double reached, double limit) {
  return limit > 0.0 ? reached / limit : 0.0;
}

}  // namespace

std::string end_reason(const TrainingOptions& options, const RunState& state) {
  if (options.max_updates > 0 && state.update >= options.max_updates) {
    return fmt::format("max_updates {} reached", options.max_updates);
  }
  if (options.max_epochs > 0 && state.position.epoch >= options.max_epochs) {
    return fmt::format("max_epochs {} reached", options.max_epochs);
  }
  if (options.max_minutes > 0.0 && state.seconds >= kSecondsPerMinute * options.max_minutes) {
    return fmt::format("max_minutes {} reached", options.max_minutes);
  }
  if (options.patience > 0 && state.best.since >= options.patience) {
    return fmt::format("no new best in {} validations", options.patience);
  }
  return "";
}

double share_done(const TrainingOptions& options, const RunState& state, double epochs) {
  const double shares[] = {
      share(static_cast<double>(state.update), static_cast<double>(options.max_updates)),
      share(epochs, static_cast<double>(options.max_epochs)),
      share(state.seconds, kSecondsPerMinute * options.max_minutes)};
  return std::min(1.0, *std::max_element(std::begin(shares), std::end(shares)));
}

bool validation_due(const ValidateEvery& every, const RunState& state) {
  if (state.update == 0 || state.validated == state.update) return false;
  const bool by_updates = every.updates > 0 && state.update % every.updates == 0;
  const bool at_epoch_end = state.position.batch == 0 && state.position.pool == 0;
  const bool by_epochs =
      every.epochs > 0 && at_epoch_end && state.position.epoch % every.epochs == 0;
  return by_updates || by_epochs;
}

bool save_due(const SaveEvery& every, const RunState& state, double last_save) {
  const bool by_updates = every.updates > 0 && state.update % every.updates == 0;
  const bool by_time =
      every.minutes > 0.0 && state.seconds - last_save >= kSecondsPerMinute * every.minutes;
  return by_updates || by_time;
}

}  // namespace attend::train
