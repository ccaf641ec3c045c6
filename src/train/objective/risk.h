#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::train {

/// Candidate translations of the sentences of a batch, in the order of the sentences.
struct RiskCandidates {
  std::vector<std::vector<text::TokenId>> targets;  // without kBos and kEos
  std::vector<int64_t> sentences;                   // sentence of each target, ascending
  std::vector<double> costs;                        // cost of each target, 0 to 1
};

/// The expected cost of a model's translations (Shen et al. 2016, arXiv 1512.02433, Eq. 10 and 11):
///   R = sum_x sum_y Q(y | x) cost(y),
///   Q(y | x) = exp(sharpness s(y)) / sum_y' exp(sharpness s(y')),
///   s(y) = log p(y | x) / (tokens of y, kEos included)^length_penalty
/// over the candidates y of each sentence x. With length_penalty 0, Q is proportional to p(y |
/// x)^sharpness as in the paper.
struct Risk {
  torch::Tensor objective;  // scalar with the gradient of `scale` R; its value is not R
  double expected = 0.0;    // R
};

/// The parameters of the risk.
struct RiskShape {
  double sharpness = 0.005;
  double length_penalty = 0.0;
  double scale = 1.0;
};

/// Runs the model, in its current mode, with one pass of the encoder and one of the decoder. The
/// tokens of each candidate are weighted by dR / d log p(y) = sharpness Q(y) (cost(y) - R of its
/// sentence) / length^length_penalty, so the backward pass needs no more memory than that of a
/// likelihood. `source` is on the model's device.
[[nodiscard]] Risk expected_risk(const model::Seq2Seq& model, const data::SentenceBatch& source,
                                 const RiskCandidates& candidates, const RiskShape& shape);

/// Returns the candidates of a batch (on the CPU); equal for equal `seed`.
using DrawCandidates = std::function<RiskCandidates(const data::Batch& batch, uint64_t seed)>;

}  // namespace attend::train
