#pragma once
#include <string>
#include <string_view>

#include "metrics/metric.h"
#include "metrics/tokenizer/tokenize_ter.h"

namespace attend::metrics {

/// Translation edit rate (Snover et al. 2006) as sacreBLEU 2.x computes it: the fewest edits to any
/// reference divided by the mean length of the references, in percent; 0 is best. With an empty
/// reference, every word of the hypothesis is an edit. If all references are empty, the score is
/// 100, or 0 if there are no edits.
class Ter final : public Metric {
 public:
  explicit Ter(const TerTokenization& options) : options_(options) {}

  [[nodiscard]] std::string name() const override { return "TER"; }
  [[nodiscard]] std::size_t statistics_size() const override { return 2; }
  /// Two numbers: the edits, and the mean length of the references.
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::string options() const override;

 private:
  TerTokenization options_;
};

}  // namespace attend::metrics
