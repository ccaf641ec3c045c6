#include "train/teacher_forcing.h"

#include <stdexcept>

#include "train/alignment_loss.h"

namespace attend::train {
namespace {

model::Decoded decode(const model::Seq2Seq& model, const data::Batch& batch) {
  return model.decode(model.encode(batch.source), batch.target_input);
}

nn::CrossEntropy loss_of_words(const model::Seq2Seq& model, const model::Decoded& decoded,
                               const data::Batch& batch, double label_smoothing) {
  const torch::Tensor& mask = batch.target_input.mask;                      // [B, T]
  const torch::Tensor outputs = nn::real_positions(decoded.outputs, mask);  // [N, D]
  const torch::Tensor targets =
      nn::real_positions(batch.target_output.unsqueeze(2), mask).squeeze(1);  // [N]
  return nn::cross_entropy(model.logits(outputs), targets, label_smoothing);
}

}  // namespace

nn::CrossEntropy teacher_forced_loss(const model::Seq2Seq& model, const data::Batch& batch,
                                     double label_smoothing) {
  return loss_of_words(model, decode(model, batch), batch, label_smoothing);
}

GuidedLoss guided_loss(const model::Seq2Seq& model, const data::Batch& batch,
                       double label_smoothing, const std::string& loss) {
  const model::Decoded decoded = decode(model, batch);
  GuidedLoss result{loss_of_words(model, decoded, batch, label_smoothing), {}};
  if (!batch.goals.defined()) return result;
  if (!decoded.weights.defined())
    throw std::logic_error("goals for the attention of a model without attention");
  result.alignment = alignment_loss(loss, decoded.weights, batch.goals);
  return result;
}

}  // namespace attend::train
