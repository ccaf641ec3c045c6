#include "decode/step/ensemble.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace attend::decode {
namespace {

struct Part {
  std::unique_ptr<StepSession> session;
  bool same_source = true;
  double weight = 1.0;
};

/// Tensors of one shape with their weights.
struct Weighted {
  std::vector<torch::Tensor> values;
  std::vector<double> weights;

  void add(torch::Tensor value, double weight) {
    values.push_back(std::move(value));
    weights.push_back(weight);
  }
  [[nodiscard]] bool equal() const {
    return std::ranges::all_of(weights, [&](double weight) { return weight == weights.front(); });
  }
  /// The weights, scaled to sum to 1, as a factor for the stacked values.
  [[nodiscard]] torch::Tensor shares() const {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<int64_t> shape(static_cast<std::size_t>(values.front().dim()) + 1, 1);
    shape.front() = -1;
    return (torch::tensor(weights, torch::kFloat64) / sum).to(values.front().options()).view(shape);
  }
};

/// The logarithm of the mean probability.
torch::Tensor mean_probability(const Weighted& log_probs) {
  const torch::Tensor all = torch::stack(log_probs.values);
  if (!log_probs.equal()) return torch::logsumexp(all + log_probs.shares().log(), 0);
  return torch::logsumexp(all, 0) - std::log(static_cast<double>(log_probs.values.size()));
}

torch::Tensor mean(const Weighted& attention) {
  const torch::Tensor all = torch::stack(attention.values);
  return attention.equal() ? all.mean(0) : (all * attention.shares()).sum(0);
}

class EnsembleSession final : public StepSession {
 public:
  explicit EnsembleSession(std::vector<Part> parts) : parts_(std::move(parts)) {}

  StepScores step(const torch::Tensor& tokens) override {
    Weighted log_probs;
    Weighted attention;
    bool first_attends = false;
    for (const auto& part : parts_) {
      auto scores = part.session->step(tokens);
      log_probs.add(scores.logits.log_softmax(1), part.weight);
      if (&part == &parts_.front()) first_attends = scores.weights.defined();
      if (reads_attention_ && part.same_source && scores.weights.defined())
        attention.add(std::move(scores.weights), part.weight);
    }
    return {mean_probability(log_probs),
            first_attends && reads_attention_ ? mean(attention) : torch::Tensor(),
            {}};
  }

  void select(const RowSelection& rows) override {
    for (const auto& part : parts_) part.session->select(rows);
  }

  void skip_attention() override {
    reads_attention_ = false;
    for (const auto& part : parts_) part.session->skip_attention();
  }

  void score_only(const Candidates& candidates) override {
    for (const auto& part : parts_) part.session->score_only(candidates);
  }

 private:
  std::vector<Part> parts_;
  bool reads_attention_ = true;
};

}  // namespace

Ensemble::Ensemble(std::vector<EnsembleMember> members) : members_(std::move(members)) {
  if (members_.empty() || !members_.front().same_source)
    throw std::logic_error("the first member of an ensemble is missing or lacks same_source");
  if (!std::ranges::all_of(members_, [](const auto& member) { return member.weight > 0.0; }))
    throw std::logic_error("the weight of a member of an ensemble is not positive");
}

std::unique_ptr<StepSession> Ensemble::start(std::span<const data::SentenceBatch> sources) const {
  if (sources.size() != members_.size())
    throw std::logic_error("an ensemble needs one source per member");
  std::vector<Part> parts;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    parts.push_back({members_[m].model->start(sources.subspan(m, 1)), members_[m].same_source,
                     members_[m].weight});
  }
  return std::make_unique<EnsembleSession>(std::move(parts));
}

}  // namespace attend::decode
