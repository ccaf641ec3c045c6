#include "decode/trace.h"

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

/// The row of the hypothesis at each position, from 0 to the one that put out kEos.
std::vector<int64_t> Trace::path(const Ending& ending) const {
  std::vector<int64_t> rows(static_cast<std::size_t>(ending.step) + 1);
  auto row = ending.row;
  for (auto t = rows.size(); t-- > 0;) {
    rows[t] = row;
    row = positions_[t].rows[static_cast<std::size_t>(row)].parent;
  }
  return rows;
}

Hypothesis Trace::hypothesis(const Ending& ending, int64_t source_length) const {
  Hypothesis result;
  result.finished = ending.finished;
  result.log_prob = ending.log_prob;
  result.score = ending.score;
  std::vector<torch::Tensor> weights;  // T + 1 times [S]
  std::vector<torch::Tensor> heads;    // T + 1 times [heads, S]
  const auto rows = path(ending);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto& position = positions_[t];
    if (t > 0) result.tokens.push_back(position.rows[static_cast<std::size_t>(rows[t])].token);
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
