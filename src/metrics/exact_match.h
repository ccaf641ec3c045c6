#pragma once
#include <string>
#include <string_view>

#include "metrics/metric.h"

namespace attend::metrics {

/// The percentage of lines that equal one of their references, ignoring whitespace at the end.
class ExactMatch final : public Metric {
 public:
  explicit ExactMatch(bool lowercase) : lowercase_(lowercase) {}

  [[nodiscard]] std::string name() const override { return "exact"; }
  [[nodiscard]] std::size_t statistics_size() const override { return 2; }
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::string options() const override;

 private:
  [[nodiscard]] std::string preprocess(std::string_view line) const;

  bool lowercase_;
};

}  // namespace attend::metrics
