#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "metrics/metric.h"
#include "model/seq2seq.h"
#include "text/tokenizer.h"
#include "train/objective/risk.h"
#include "train/options.h"

namespace attend::train {

/// Draws candidates from a model and says what each costs.
class RiskSampler {
 public:
  /// Borrows the tokenizer of the targets. Texts are compared as validation does it, by its
  /// `tokenize` and `lowercase`.
  RiskSampler(const MinimumRiskOptions& options, const ValidationOptions& validation,
              const text::Tokenizer& target);

  /// For each pair of `batch` (on the CPU) options.samples draws and the reference, equal ones
  /// once. The same `seed` draws the same. The model is in evaluation mode meanwhile.
  [[nodiscard]] RiskCandidates draw(model::Seq2Seq& model, const data::Batch& batch,
                                    uint64_t seed) const;

 private:
  /// 1 - the sentence score of `tokens` against `reference`.
  [[nodiscard]] double cost(const std::vector<text::TokenId>& tokens,
                            const std::string& reference) const;

  MinimumRiskOptions options_;
  const text::Tokenizer& target_;
  std::unique_ptr<metrics::Metric> metric_;
};

/// draw() of a RiskSampler by options.mrt, from `model` (borrowed, as `target`, which is needed
/// then); nothing where no candidates are asked for.
[[nodiscard]] DrawCandidates draw_candidates(const TrainingOptions& options, model::Seq2Seq& model,
                                             const text::Tokenizer* target);

}  // namespace attend::train
