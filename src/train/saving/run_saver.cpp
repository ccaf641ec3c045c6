#include "train/saving/run_saver.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/fault_point.h"
#include "train/saving/saved_weights.h"
#include "train/update/non_finite.h"

namespace attend::train {

LoadedState RunSaver::load() {
  LoadedState loaded = load_state(parts_.files.state, tensors(), parts_.weights.parameters());
  saved_update_ = loaded.state.update;
  return loaded;
}

StateTensors RunSaver::tensors() const {
  StateTensors tensors = parts_.updater.optimizer().state();
  tensors["parameters"] = parts_.weights.parameters().values();
  const torch::Tensor& moving_average = parts_.weights.moving_average();
  if (moving_average.defined()) tensors["moving_average"] = moving_average;
  const torch::Tensor& baseline = parts_.updater.reward_baseline().state();
  if (baseline.defined()) tensors["reward_baseline"] = baseline;
  return tensors;
}

void RunSaver::open_history() {
  history_.emplace(parts_.files.history, parts_.state.history_lines);
  count_history();
}

void RunSaver::record(const nlohmann::json& line, const RunPoint& point) {
  parts_.policy.attempt(point, [&] { history_->add(line); });
  count_history();
}

void RunSaver::count_history() {
  parts_.state.history_lines = history_->lines();
  parts_.state.history_checksum = history_->checksum();
}

void RunSaver::save(const RunPoint& point) {
  parts_.policy.attempt(point, [&] { save_strictly(point); });
}

void RunSaver::save_strictly(const RunPoint& point) {
  if (!parts_.weights.are_finite()) {
    if (!has_checkpoint()) throw NumericError(non_finite_start_message(parts_.state.update));
    return parts_.observer.on_save_error(
        {point, "the weights are no longer finite; they were not saved"});
  }
  history_->flush_to_disk();
  save_state(parts_.files.state, parts_.state, tensors(), parts_.weights.parameters());
  saved_update_ = parts_.state.update;
  {
    const auto shown = parts_.weights.show();
    save_weights(parts_.files.last, parts_.model, point);
  }
  mark_point("saved");
}

std::string RunSaver::save_before_giving_up(const RunPoint& point) {
  if (!parts_.weights.are_finite()) {
    return has_checkpoint()
               ? ". The weights are no longer finite, so the last checkpoint was kept as it is"
               : "";
  }
  try {
    save_strictly(point);
    return ". The state before it is saved";
  } catch (const DataError& error) {
    return std::string(". The state before it could not be saved: ") + error.what();
  }
}

std::string RunSaver::newest_checkpoint() const {
  if (!has_checkpoint()) return "; there is no checkpoint yet";
  return fmt::format("; the last checkpoint is update {} in {}", saved_update_,
                     parts_.files.folder.string());
}

}  // namespace attend::train
