#include "metrics/token_scores.h"

#include <fmt/format.h>

#include <cmath>

namespace attend::metrics {

std::string TokenScorer::name() const {
  switch (measure_) {
    case TokenMeasure::kLoss:
      return "loss";
    case TokenMeasure::kPerplexity:
      return "perplexity";
    case TokenMeasure::kAccuracy:
      break;
  }
  return "accuracy";
}

Score TokenScorer::score(std::span<const double> statistics) const {
  const double tokens = statistics[1];
  if (tokens == 0) return {0.0, fmt::format("(0 {}s)", unit_)};
  if (measure_ == TokenMeasure::kAccuracy) {
    return {100.0 * statistics[2] / tokens,
            fmt::format("({:.0f} of {:.0f} {}s)", statistics[2], tokens, unit_)};
  }
  const double loss = -statistics[0] / tokens;
  return {measure_ == TokenMeasure::kLoss ? loss : std::exp(loss),
          fmt::format("({:.0f} {}s)", tokens, unit_)};
}

}  // namespace attend::metrics
