#include "train/update/non_finite.h"

#include <fmt/format.h>

namespace attend::train {

std::string non_finite_message(const SkipReport& report, int64_t allowed) {
  const std::string row = allowed == 0 ? "training.skip_non_finite: 0 allows no skipped update"
                                       : fmt::format(
                                             "{} updates in a row were skipped because of such "
                                             "values; training.skip_non_finite allows {}",
                                             report.in_a_row, allowed);
  return fmt::format(
      "update {}: the loss per token is {} and the gradient norm {}; {}. The batch was {}. A lower "
      "training.learning_rate or training.clip_norm usually helps",
      report.point.update, report.loss, report.gradient_norm, row, report.batch);
}

std::string non_finite_start_message(int64_t update) {
  return fmt::format(
      "update {}: the weights are not finite, so nothing was saved. Try a lower "
      "training.learning_rate, or other weights in training.init_from",
      update);
}

std::string non_finite_end_message(int64_t update) {
  return fmt::format(
      "update {}: the run ended with weights that are not finite. A lower "
      "training.learning_rate or training.clip_norm usually helps",
      update);
}

}  // namespace attend::train
