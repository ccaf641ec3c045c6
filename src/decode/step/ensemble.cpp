#include "decode/step/ensemble.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace attend::decode {
namespace {

struct Part {
  std::unique_ptr<StepSession> session;
  bool same_source = true;
};

torch::Tensor mean_probability(const std::vector<torch::Tensor>& log_probs) {
  const auto count = static_cast<double>(log_probs.size());
  return torch::logsumexp(torch::stack(log_probs), 0) - std::log(count);
}

class EnsembleSession final : public StepSession {
 public:
  explicit EnsembleSession(std::vector<Part> parts) : parts_(std::move(parts)) {}

  StepScores step(const torch::Tensor& tokens) override {
    std::vector<torch::Tensor> log_probs;
    std::vector<torch::Tensor> weights;
    bool first_has_weights = false;
    for (const auto& part : parts_) {
      auto scores = part.session->step(tokens);
      log_probs.push_back(scores.logits.log_softmax(1));
      if (&part == &parts_.front()) first_has_weights = scores.weights.defined();
      if (reads_attention_ && part.same_source && scores.weights.defined())
        weights.push_back(std::move(scores.weights));
    }
    return {mean_probability(log_probs),
            first_has_weights && reads_attention_ ? torch::stack(weights).mean(0) : torch::Tensor(),
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
}

std::unique_ptr<StepSession> Ensemble::start(std::span<const data::SentenceBatch> sources) const {
  if (sources.size() != members_.size())
    throw std::logic_error("an ensemble needs one source per member");
  std::vector<Part> parts;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    parts.push_back({members_[m].model->start(sources.subspan(m, 1)), members_[m].same_source});
  }
  return std::make_unique<EnsembleSession>(std::move(parts));
}

}  // namespace attend::decode
