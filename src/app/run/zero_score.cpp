#include "app/run/zero_score.h"

#include "core/log.h"

namespace attend::app {
namespace {

constexpr double kShownAsZero = 0.005;  // with two decimals

}  // namespace

void ZeroScoreWarning::on_validation(const train::ValidationReport& report) {
  if (judged_ || options_.metric != train::ValidationMetric::bleu) return;
  judged_ = report.result.bleu.value_or(1.0) >= kShownAsZero;
  if (judged_) return;
  if (zeros_++ == 0) first_loss_ = report.result.loss;
  if (zeros_ < kValidations || !(report.result.loss < first_loss_)) return;
  judged_ = true;
  log::warning(
      "validation BLEU is 0.00 for {} validations, although the loss fell from {:.3f} to {:.3f}; "
      "the lowest loss decides which weights are best. training.validation.tokenize: {} may not "
      "fit the target: use char (or zh) for text without spaces between words or lines of one "
      "word, or training.validation.metric: loss",
      zeros_, first_loss_, report.result.loss, options_.tokenize);
}

}  // namespace attend::app
