#include "decode/seq2seq_step_model.h"

#include <stdexcept>
#include <utility>

namespace attend::decode {
namespace {

class Seq2SeqSession final : public StepSession {
 public:
  Seq2SeqSession(const model::Seq2Seq& model, model::Encoded encoded)
      : model_(model), memory_(std::move(encoded.memory)), state_(std::move(encoded.start)) {}

  StepScores step(const torch::Tensor& tokens) override {
    auto step = model_.step(tokens, memory_, state_);
    state_ = std::move(step.state);
    return {std::move(step.log_probs), std::move(step.weights), std::move(step.heads)};
  }

  void select(const RowSelection& rows) override {
    state_ = state_.select(rows.parents);
    if (!rows.same_sentences) memory_ = memory_.select(rows.parents);
  }

 private:
  const model::Seq2Seq& model_;
  nn::PreparedMemory memory_;
  model::DecoderState state_;
};

}  // namespace

Seq2SeqStepModel::Seq2SeqStepModel(const model::Seq2Seq& model) : model_(model) {
  if (model.is_training()) throw std::logic_error("decoding with a model in training mode");
}

std::unique_ptr<StepSession> Seq2SeqStepModel::start(
    std::span<const data::SentenceBatch> sources) const {
  return std::make_unique<Seq2SeqSession>(model_, model_.encode(sources.front().to(device())));
}

torch::Device Seq2SeqStepModel::device() const {
  return model_.device();
}

}  // namespace attend::decode
