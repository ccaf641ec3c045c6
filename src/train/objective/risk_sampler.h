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

/// Draws candidates from a model and computes their costs.
class RiskSampler {
 public:
  /// Borrows the target tokenizer. Compares texts by `tokenize` and `lowercase` of `validation`.
  RiskSampler(const MinimumRiskOptions& options, const ValidationOptions& validation,
              const text::Tokenizer& target);

  /// Returns for each pair of `batch` (on the CPU) options.samples draws and the reference, without
  /// duplicates. Equal seeds give equal draws. The model is in evaluation mode during the call.
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

/// Returns a function that calls RiskSampler::draw() for `model`, or an empty one if
/// options.mrt.samples is 0. Borrows `model` and `target`, which may be null only for 0 samples.
[[nodiscard]] DrawCandidates draw_candidates(const TrainingOptions& options, model::Seq2Seq& model,
                                             const text::Tokenizer* target);

}  // namespace attend::train
