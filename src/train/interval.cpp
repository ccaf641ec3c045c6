#include "train/interval.h"

#include <algorithm>

namespace attend::train {

void add_update(Interval& interval, const UpdateResult& result) {
  ++interval.updates;
  interval.nll += result.nll;
  interval.alignment += result.alignment;
  interval.source_tokens += result.source_tokens;
  interval.target_tokens += result.target_tokens;
  interval.gradient_norm += result.gradient_norm;
}

IntervalReport report_of(const Interval& interval, const RunPoint& point, double learning_rate) {
  const auto updates = static_cast<double>(std::max<int64_t>(interval.updates, 1));
  const auto tokens = static_cast<double>(std::max<int64_t>(interval.target_tokens, 1));
  return {point,
          interval.nll / tokens,
          learning_rate,
          interval.gradient_norm / updates,
          interval.source_tokens,
          interval.target_tokens,
          interval.skipped,
          interval.seconds,
          interval.alignment / tokens};
}

}  // namespace attend::train
