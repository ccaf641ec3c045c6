#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/translate/translator.h"
#include "metrics/metric.h"

namespace attend::app {

/// Options of minimum Bayes risk decoding.
struct MinimumRiskOptions {
  std::string utility = "chrf";   ///< chrf | bleu
  std::string weights = "equal";  ///< equal | model: weights of the candidates as references
  int64_t n_best = 1;             ///< translations to return
};

[[nodiscard]] std::vector<std::string> utility_names();
[[nodiscard]] std::vector<std::string> candidate_weight_names();

/// The weight of each candidate y_i; they add up to 1. `name` "equal": 1 / N each, right for
/// samples; "model": p(y_i | x) / sum_j p(y_j | x), right for an n-best list. Requires: at least
/// one candidate.
[[nodiscard]] std::vector<double> candidate_weights(const std::string& name,
                                                    const std::vector<Translation>& candidates);

/// Minimum Bayes risk decoding (Kumar & Byrne 2004; with samples Eikema & Aziz 2020, arXiv
/// 2005.10283, Sec. 7): the translation whose expected utility is highest,
///   E(y_i) = sum_j w_j u(y_i, y_j),
/// where the candidates y_j (y_i included) with weights w_j stand for possible references. u is
/// chrF2 of the two texts, or sentence BLEU (13a, exponential smoothing, effective order) as
/// sacreBLEU's sentence_bleu, 0 to 100.
class MinimumRisk {
 public:
  /// Throws UsageError for an unknown utility.
  explicit MinimumRisk(const MinimumRiskOptions& options);

  /// Ranks the candidates of one line, best first, with E as their score; at most options.n_best.
  /// Equal texts are merged into the first, with the sum of their weights; of equal scores the
  /// earlier candidate comes first. Requires: at least one.
  [[nodiscard]] std::vector<Translation> rank(std::vector<Translation> candidates) const;

 private:
  MinimumRiskOptions options_;
  std::unique_ptr<metrics::Metric> utility_;
};

}  // namespace attend::app
