#pragma once
#include <string>
#include <string_view>

#include "metrics/bleu.h"

namespace attend::metrics {

/// The number of hypothesis tokens divided by the number of tokens of the references closest in
/// length, as in BLEU's brevity penalty. Uses BLEU's tokenizer. 0 if the references are empty.
class LengthRatio final : public Metric {
 public:
  /// Throws what Bleu throws.
  explicit LengthRatio(const BleuOptions& options)
      : tokenizer_(options.tokenizer), bleu_({.tokenizer = options.tokenizer}) {}

  [[nodiscard]] std::string name() const override { return "length"; }
  [[nodiscard]] std::size_t statistics_size() const override { return 2; }
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::string options() const override { return "tok:" + tokenizer_; }
  [[nodiscard]] int decimals() const override { return 3; }

 private:
  std::string tokenizer_;
  Bleu bleu_;
};

}  // namespace attend::metrics
