#include "train/teacher_forcing.h"

namespace attend::train {

nn::CrossEntropy teacher_forced_loss(const model::Seq2Seq& model, const data::Batch& batch,
                                     double label_smoothing) {
  const model::Decoded decoded = model.decode(model.encode(batch.source), batch.target_input);
  const torch::Tensor& mask = batch.target_input.mask;                      // [B, T]
  const torch::Tensor outputs = nn::real_positions(decoded.outputs, mask);  // [N, D]
  const torch::Tensor targets =
      nn::real_positions(batch.target_output.unsqueeze(2), mask).squeeze(1);  // [N]
  return nn::cross_entropy(model.logits(outputs), targets, label_smoothing);
}

}  // namespace attend::train
