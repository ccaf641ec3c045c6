#include "decode/search/trace.h"

namespace attend::decode {
namespace {

torch::Tensor plain(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.to(torch::kCPU, torch::kFloat).contiguous() : tensor;
}

}  // namespace

void Trace::record(const std::vector<Row>& rows, const StepScores& scores) {
  Position position{rows, {}, {}};
  if (keep_attention_) {
    position.weights = scores.weights;
    position.heads = scores.heads;
  }
  positions_.push_back(std::move(position));
}

void Trace::move_to_cpu() {
  for (auto& position : positions_) {
    position.weights = plain(position.weights);
    position.heads = plain(position.heads);
  }
}

/// The row of the hypothesis at each position, from 0 to point.step.
std::vector<int64_t> Trace::path(const TracePoint& point) const {
  std::vector<int64_t> rows(static_cast<std::size_t>(point.step) + 1);
  auto row = point.row;
  for (auto t = rows.size(); t-- > 0;) {
    rows[t] = row;
    row = positions_[t].rows[static_cast<std::size_t>(row)].parent;
  }
  return rows;
}

std::vector<text::TokenId> Trace::tokens(const TracePoint& point) const {
  const auto rows = path(point);
  std::vector<text::TokenId> tokens;
  tokens.reserve(rows.size());
  for (std::size_t t = 1; t < rows.size(); ++t)
    tokens.push_back(positions_[t].rows[static_cast<std::size_t>(rows[t])].token);
  return tokens;
}

/// The log-probability of each token on the path, and of the end. `last`: the sum of them all.
std::vector<double> Trace::token_log_probs(std::span<const int64_t> rows, double last) const {
  std::vector<double> values;
  values.reserve(rows.size());
  double before = 0.0;
  for (std::size_t t = 1; t < rows.size(); ++t) {
    const double until = positions_[t].rows[static_cast<std::size_t>(rows[t])].log_prob;
    values.push_back(until - before);
    before = until;
  }
  values.push_back(last - before);
  return values;
}

Hypothesis Trace::hypothesis(const Ending& ending, int64_t source_length) const {
  Hypothesis result;
  result.finished = ending.finished;
  result.log_prob = ending.log_prob;
  result.score = ending.score;
  std::vector<torch::Tensor> weights;  // T + 1 times [S]
  std::vector<torch::Tensor> heads;    // T + 1 times [heads, S]
  const TracePoint last{ending.step, ending.row};
  const auto rows = path(last);
  result.tokens = tokens(last);
  result.token_log_probs = token_log_probs(rows, ending.log_prob);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto& position = positions_[t];
    if (position.weights.defined())
      weights.push_back(position.weights[rows[t]].narrow(0, 0, source_length));
    if (position.heads.defined())
      heads.push_back(position.heads[rows[t]].narrow(1, 0, source_length));
  }
  if (!weights.empty()) result.attention = torch::stack(weights);
  if (!heads.empty()) result.heads = torch::stack(heads, 1);
  return result;
}

}  // namespace attend::decode
