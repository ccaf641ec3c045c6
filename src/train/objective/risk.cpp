#include "train/objective/risk.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "data/batch.h"
#include "nn/drawing.h"
#include "nn/execution.h"

namespace attend::train {
namespace {

using torch::Tensor;

constexpr int64_t kWordsOfRiskAtOnce = 640;  // words whose logits are in memory together

/// [N] float64 on the CPU: log p of targets[n] given outputs [N, D], without gradient.
Tensor log_probs_of(const model::Seq2Seq& model, const Tensor& outputs, const Tensor& targets) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> parts;
  for (int64_t begin = 0; begin < targets.size(0); begin += kWordsOfRiskAtOnce) {
    const int64_t count = std::min(kWordsOfRiskAtOnce, targets.size(0) - begin);
    const Tensor logits = model.logits(outputs.narrow(0, begin, count));
    const Tensor chosen = logits.gather(1, targets.narrow(0, begin, count).unsqueeze(1)).squeeze(1);
    parts.push_back((chosen - logits.logsumexp(1)).to(torch::kCPU, torch::kFloat64));
  }
  return torch::cat(parts);
}

/// The derivative of the risk with respect to each candidate's log p, and the risk.
struct CandidateSlopes {
  std::vector<double> slopes;  // dR / d log p
  double expected = 0.0;
};

/// Handles one sentence's candidates, [begin, end). `scores`: s(y); `lengths`:
/// length^length_penalty.
void add_slopes(const RiskCandidates& candidates, std::size_t begin, std::size_t end,
                const std::vector<double>& scores, const std::vector<double>& lengths,
                double sharpness, CandidateSlopes& result) {
  const double highest = *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                           scores.begin() + static_cast<std::ptrdiff_t>(end));
  const auto share = [&](std::size_t i) { return std::exp(sharpness * (scores[i] - highest)); };
  double sum = 0.0, risk = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    sum += share(i);
    risk += share(i) * candidates.costs[i];
  }
  risk /= sum;
  for (std::size_t i = begin; i < end; ++i) {
    result.slopes[i] = sharpness * share(i) / sum * (candidates.costs[i] - risk) / lengths[i];
  }
  result.expected += risk;
}

/// `log_probs`: one for each token of all candidates, in order.
CandidateSlopes slopes_of(const RiskCandidates& candidates, const Tensor& log_probs,
                          const RiskShape& shape) {
  const std::size_t count = candidates.targets.size();
  std::vector<double> scores(count), lengths(count);
  const auto* next = log_probs.data_ptr<double>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t tokens = candidates.targets[i].size() + 1;
    lengths[i] = std::pow(static_cast<double>(tokens), shape.length_penalty);
    for (std::size_t t = 0; t < tokens; ++t) scores[i] += *next++;
    scores[i] /= lengths[i];
  }
  CandidateSlopes result{std::vector<double>(count), 0.0};
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && candidates.sentences[end] == candidates.sentences[begin]) ++end;
    add_slopes(candidates, begin, end, scores, lengths, shape.sharpness, result);
    begin = end;
  }
  return result;
}

/// The weight of each token's -log p, [N].
Tensor token_weights(const RiskCandidates& candidates, const std::vector<double>& slopes,
                     double scale) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < slopes.size(); ++i)
    weights.insert(weights.end(), candidates.targets[i].size() + 1, -scale * slopes[i]);
  return torch::tensor(weights, torch::kFloat64);
}

Tensor outputs_of(const model::Seq2Seq& model, const model::Encoded& encoded,
                  const data::SentenceBatch& input) {
  nn::Execution execution = nn::execution();
  execution.shown_weights = false;
  const nn::ExecutionScope scope(execution);
  return model.decode(encoded, input).outputs;
}

}  // namespace

Risk expected_risk(const model::Seq2Seq& model, const data::SentenceBatch& source,
                   const RiskCandidates& candidates, const RiskShape& shape) {
  const data::FramedTargets framed = data::frame_targets(candidates.targets);
  const data::SentenceBatch input = framed.input.to(model.device());
  const Tensor rows = torch::tensor(candidates.sentences, torch::kInt64).to(model.device());
  const model::Encoded encoded = model.encode(source).select(rows);
  const nn::LinesScope lines(
      nn::LinesScope::repeated(torch::tensor(candidates.sentences, torch::kInt64)));
  const Tensor outputs = nn::real_positions(outputs_of(model, encoded, input), input.mask);
  const Tensor targets = framed.output.to(model.device()).masked_select(input.mask);
  const CandidateSlopes slopes =
      slopes_of(candidates, log_probs_of(model, outputs, targets), shape);
  nn::LossOptions options;
  options.weights = token_weights(candidates, slopes.slopes, shape.scale).to(outputs.options());
  return {model.loss(outputs, targets, options).objective, slopes.expected};
}

}  // namespace attend::train
