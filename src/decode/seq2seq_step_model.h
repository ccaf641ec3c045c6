#pragma once
#include <memory>
#include <span>

#include "decode/step_model.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// One Seq2Seq, borrowed, step by step.
class Seq2SeqStepModel final : public StepModel {
 public:
  /// Throws std::logic_error if `model` is in training mode. Requires: `model` outlives this
  /// object.
  explicit Seq2SeqStepModel(const model::Seq2Seq& model);

  [[nodiscard]] std::unique_ptr<StepSession> start(
      std::span<const data::SentenceBatch> sources) const override;
  [[nodiscard]] torch::Device device() const override;

 private:
  const model::Seq2Seq& model_;
};

}  // namespace attend::decode
