#include "app/explain/weight_probe.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>

#include "data/batch.h"
#include "nn/execution.h"

namespace attend::app {

namespace {

/// Rows computed together; bounds the memory for scores of all tokens.
constexpr std::size_t kRowsAtOnce = 256;

/// Kernels do not read forced weights.
nn::Execution plain() {
  nn::Execution execution = nn::execution();
  execution.fused = false;
  return execution;
}

torch::Tensor tensor_of(const std::vector<std::vector<double>>& heads) {
  std::vector<double> all;
  for (const auto& head : heads) all.insert(all.end(), head.begin(), head.end());
  const auto count = static_cast<int64_t>(heads.size());
  return torch::tensor(all, torch::kFloat64).view({count, -1});
}

/// The weights [changes, heads, S] of a layer; undefined if no head of it belongs to the site.
torch::Tensor changed_layer(const std::vector<std::vector<double>>& own,
                            const std::vector<int64_t>& heads,
                            std::span<const WeightChange> changes) {
  if (heads.empty()) return {};
  std::vector<torch::Tensor> rows;
  for (const WeightChange& change : changes) {
    std::vector<std::vector<double>> layer = own;
    for (const int64_t head : heads) {
      const auto place = static_cast<std::size_t>(head);
      layer[place] = change(own[place]);
    }
    rows.push_back(tensor_of(layer));
  }
  return torch::stack(rows);
}

/// Rows that each write the most probable token.
class GreedyRows {
 public:
  GreedyRows(std::size_t rows, const Continues& continues, std::size_t most)
      : continues_(continues), most_(most), rows_(rows), open_(rows, true) {}

  /// Adds the next token of each row for logits [N, V]. Returns false if no row may have another.
  bool extend(const torch::Tensor& logits) {
    const auto [best, tokens] = logits.to(torch::kCPU, torch::kFloat64).softmax(1).max(1);
    bool any = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      add(i, static_cast<text::TokenId>(tokens[row].item<int64_t>()), best[row].item<double>());
      any = any || open_[i];
    }
    return any;
  }

  /// The last token of each row, [N].
  [[nodiscard]] torch::Tensor last() const {
    std::vector<int64_t> tokens;
    for (const Writing& row : rows_) tokens.push_back(row.tokens.back());
    return torch::tensor(tokens, torch::kInt64);
  }
  [[nodiscard]] const std::vector<Writing>& written() const { return rows_; }

 private:
  void add(std::size_t i, text::TokenId token, double probability) {
    std::vector<text::TokenId>& tokens = rows_[i].tokens;
    if (!open_[i] || (!tokens.empty() && !continues_(tokens.back(), token))) {
      open_[i] = false;
      return;
    }
    tokens.push_back(token);
    rows_[i].probability *= probability;
    open_[i] = tokens.size() < most_ && token != text::kEos;
  }

  const Continues& continues_;
  std::size_t most_;
  std::vector<Writing> rows_;
  std::vector<bool> open_;
};

}  // namespace

std::vector<double> probabilities_of(const torch::Tensor& scores) {
  const torch::Tensor all = scores.to(torch::kFloat64).softmax(0).contiguous();
  return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
}

WeightProbe::WeightProbe(const model::Seq2Seq& model, const std::vector<text::TokenId>& source,
                         const std::vector<text::TokenId>& target)
    : model_(model), inputs_{text::kBos} {
  inputs_.insert(inputs_.end(), target.begin(), target.end());
  const torch::NoGradGuard no_gradients;
  model::Encoded encoded = model.encode(data::frame_sources({source}).to(model.device()));
  memories_ = std::move(encoded.memories);
  state_ = std::move(encoded.start);
}

model::Predicted WeightProbe::step(int64_t rows, const std::vector<torch::Tensor>& forced) const {
  const nn::ExecutionScope scope(plain());
  const auto integers = torch::TensorOptions(torch::kInt64).device(model_.device());
  const torch::Tensor copies = torch::zeros({rows}, integers);
  model::Memories memories = model::select(memories_, copies);
  for (std::size_t layer = 0; layer < forced.size(); ++layer)
    if (forced[layer].defined()) memories[layer].forced_weights = forced[layer];
  return model_.step(torch::full({rows}, int64_t{inputs_.at(position_)}, integers), memories,
                     state_.reorder(copies));
}

model::Predicted WeightProbe::changed_step(const HeadWeights& own, const AttentionSite& site,
                                           std::span<const WeightChange> changes) const {
  const auto like = memories_.front().memory.values.options();
  std::vector<torch::Tensor> forced;
  for (std::size_t layer = 0; layer < own.size(); ++layer) {
    forced.push_back(changed_layer(own[layer], site.heads[layer], changes));
    if (forced.back().defined()) forced.back() = forced.back().to(like);
  }
  return step(static_cast<int64_t>(changes.size()), forced);
}

torch::Tensor WeightProbe::scores(const HeadWeights& own, const AttentionSite& site,
                                  std::span<const WeightChange> changes) const {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> blocks;
  for (std::size_t first = 0; first < changes.size(); first += kRowsAtOnce) {
    const auto some = changes.subspan(first, std::min(kRowsAtOnce, changes.size() - first));
    blocks.push_back(changed_step(own, site, some).logits.to(torch::kCPU));
  }
  return torch::cat(blocks);
}

std::vector<Writing> WeightProbe::writings(const HeadWeights& own, const AttentionSite& site,
                                           std::span<const WeightChange> changes,
                                           const Continues& continues, std::size_t most) const {
  const torch::NoGradGuard no_gradients;
  std::vector<Writing> all;
  for (std::size_t first = 0; first < changes.size(); first += kRowsAtOnce) {
    const auto some = changes.subspan(first, std::min(kRowsAtOnce, changes.size() - first));
    const torch::Tensor copies = torch::zeros(
        {std::ssize(some)}, torch::TensorOptions(torch::kInt64).device(model_.device()));
    const model::Memories memories = model::select(memories_, copies);
    const nn::ExecutionScope scope(plain());
    GreedyRows rows(some.size(), continues, most);
    model::Predicted predicted = changed_step(own, site, some);
    while (rows.extend(predicted.logits))
      predicted = model_.step(rows.last().to(model_.device()), memories, predicted.state);
    all.insert(all.end(), rows.written().begin(), rows.written().end());
  }
  return all;
}

std::vector<double> WeightProbe::gradient(const HeadWeights& own, const AttentionSite& site,
                                          text::TokenId token) const {
  const torch::AutoGradMode with_gradients(true);
  const auto like = memories_.front().memory.values.options();
  std::vector<torch::Tensor> forced(own.size()), leaves;
  for (std::size_t layer = 0; layer < own.size(); ++layer) {
    if (site.heads[layer].empty()) continue;
    forced[layer] = tensor_of(own[layer]).unsqueeze(0).to(like).requires_grad_();
    leaves.push_back(forced[layer]);
  }
  const torch::Tensor log_prob =
      step(1, forced).logits.to(torch::kFloat64).log_softmax(1)[0][token];
  const auto found = torch::autograd::grad({log_prob}, leaves);
  torch::Tensor sum = torch::zeros({leaves.front().size(2)}, torch::kFloat64);
  for (std::size_t layer = 0, leaf = 0; layer < own.size(); ++layer) {
    if (site.heads[layer].empty()) continue;
    const torch::Tensor heads = found[leaf++][0].to(torch::kCPU, torch::kFloat64);  // [heads, S]
    sum += heads.index_select(0, torch::tensor(site.heads[layer], torch::kInt64)).sum(0);
  }
  return {sum.data_ptr<double>(), sum.data_ptr<double>() + sum.numel()};
}

void WeightProbe::advance() {
  const torch::NoGradGuard no_gradients;
  const nn::ExecutionScope scope(plain());
  const auto integers = torch::TensorOptions(torch::kInt64).device(model_.device());
  state_ =
      model_.step(torch::full({1}, int64_t{inputs_.at(position_)}, integers), memories_, state_)
          .state;
  ++position_;
}

}  // namespace attend::app
