#include "metrics/length_ratio.h"

#include <fmt/format.h>

namespace attend::metrics {

Statistics LengthRatio::segment_statistics(std::string_view hypothesis,
                                           std::span<const std::string_view> references) const {
  const Statistics statistics = bleu_.segment_statistics(hypothesis, references);
  return {statistics[Bleu::kHypothesisLength], statistics[Bleu::kReferenceLength]};
}

Score LengthRatio::score(std::span<const double> statistics) const {
  const double ratio = statistics[1] > 0 ? statistics[0] / statistics[1] : 0.0;
  return {ratio, fmt::format("(hyp_len = {:.0f} ref_len = {:.0f})", statistics[0], statistics[1])};
}

}  // namespace attend::metrics
