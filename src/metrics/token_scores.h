#pragma once
#include <string>

#include "metrics/metric.h"

namespace attend::metrics {

/// A model's predictions for the tokens of a given translation, including end symbols.
struct TokenStatistics {
  double log_prob = 0.0;  ///< nats, summed over the tokens
  double tokens = 0.0;
  double right = 0.0;  ///< tokens that are the model's most probable choice

  [[nodiscard]] Statistics values() const { return {log_prob, tokens, right}; }
};

/// A score computed from TokenStatistics; 0 if there are no tokens.
enum class TokenMeasure {
  kLoss,        ///< nats per token
  kPerplexity,  ///< exp(loss)
  kAccuracy,    ///< percentage of right tokens
};

/// Scores statistics of the form TokenStatistics::values().
class TokenScorer final : public Scorer {
 public:
  /// `unit` is the name of a token in the signature and the details: "piece".
  TokenScorer(TokenMeasure measure, std::string unit) : measure_(measure), unit_(std::move(unit)) {}

  /// "loss", "perplexity", "accuracy".
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::size_t statistics_size() const override { return 3; }
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::string options() const override { return "unit:" + unit_; }
  [[nodiscard]] int decimals() const override {
    return measure_ == TokenMeasure::kAccuracy ? 2 : 4;
  }

 private:
  TokenMeasure measure_;
  std::string unit_;
};

}  // namespace attend::metrics
