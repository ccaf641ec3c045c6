#include "train/interval.h"

#include <limits>

namespace attend::train {
namespace {

double mean(double sum, int64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void add_update(Interval& interval, const UpdateResult& result) {
  ++interval.updates;
  interval.nll += result.nll;
  interval.alignment += result.alignment;
  interval.divergence += result.divergence;
  interval.risk += result.risk;
  interval.sentences += result.sentences;
  interval.source_tokens += result.source_tokens;
  interval.target_tokens += result.target_tokens;
  interval.gradient_norm += result.gradient_norm;
}

IntervalReport report_of(const Interval& interval, const RunPoint& point, double learning_rate) {
  return {.point = point,
          .loss = mean(interval.nll, interval.target_tokens),
          .learning_rate = learning_rate,
          .gradient_norm = mean(interval.gradient_norm, interval.updates),
          .source_tokens = interval.source_tokens,
          .target_tokens = interval.target_tokens,
          .skipped = interval.skipped,
          .seconds = interval.seconds,
          .alignment_loss = mean(interval.alignment, interval.target_tokens),
          .divergence = mean(interval.divergence, interval.target_tokens),
          .risk = mean(interval.risk, interval.sentences)};
}

}  // namespace attend::train
