#include "train/objective/teacher_forcing.h"

#include <stdexcept>

#include "nn/drawing.h"
#include "nn/execution.h"
#include "train/objective/alignment_loss.h"
#include "train/objective/attention_gain.h"
#include "train/objective/reinforce.h"

namespace attend::train {
namespace {

/// Computes attention weights only for guided attention (the batch has goals).
model::Decoded decode(const model::Seq2Seq& model, const model::Encoded& encoded,
                      const data::Batch& batch) {
  nn::Execution execution = nn::execution();
  execution.shown_weights = batch.goals.defined();
  const nn::ExecutionScope scope(execution);
  return model.decode(encoded, batch.target_input);
}

/// The N target positions of a batch without padding.
struct Predictions {
  torch::Tensor outputs;  // [N, D] pre-output states
  torch::Tensor targets;  // [N]
};

Predictions real_predictions(const model::Decoded& decoded, const data::Batch& batch) {
  const torch::Tensor& mask = batch.target_input.mask;  // [B, T]
  const torch::Tensor& places = batch.target_places;
  return {nn::real_positions(decoded.outputs, mask, places),
          nn::real_positions(batch.target_output.unsqueeze(2), mask, places).squeeze(1)};
}

torch::Tensor loss_of_draws(const model::Seq2Seq& model, const nn::DrawnPositions& drawn,
                            const Predictions& predictions, const torch::Tensor& mask,
                            double baseline) {
  const torch::Tensor scores = model.logits(predictions.outputs.detach()).detach();  // [N, V]
  const torch::Tensor chosen = scores.gather(1, predictions.targets.unsqueeze(1)).squeeze(1);
  const torch::Tensor log_probs = torch::zeros(mask.sizes(), scores.options())
                                      .masked_scatter(mask, chosen - scores.logsumexp(1));
  return reinforce_objective(drawn, log_probs, mask, model.options().attention, baseline);
}

/// The attention weights [B, T, S] that are compared with the goals.
torch::Tensor guided_weights(const model::Decoded& decoded, int64_t head) {
  if (!decoded.weights.defined())
    throw std::logic_error("attention goals were given, but the model has no attention");
  if (head == 0) return decoded.weights;
  if (!decoded.heads.defined())
    throw std::logic_error("attention goals name a head, but the model has only one head");
  return decoded.heads.select(1, head - 1);
}

GuidedLoss loss_of_passes(const model::Seq2Seq& model, const data::Batch& batch,
                          const nn::LossOptions& options, const GuidedAlignmentOptions& guided,
                          double reward_baseline, const FaithfulnessOptions& faithful) {
  const model::Encoded encoded = model.encode(batch.reading());
  const model::Decoded decoded = decode(model, encoded, batch);
  const Predictions predictions = real_predictions(decoded, batch);
  GuidedLoss result{model.loss(predictions.outputs, predictions.targets, options), {}, {}, {}};
  if (faithful.weight > 0.0)
    result.faithfulness = attention_gain(model, encoded, batch, faithful.replacement);
  if (decoded.drawn.log_prob.defined()) {
    result.draws =
        loss_of_draws(model, decoded.drawn, predictions, batch.target_input.mask, reward_baseline);
  }
  if (!batch.goals.defined()) return result;
  const int64_t steps = batch.goals.size(1) - guided.shift;
  result.alignment = alignment_loss(
      guided.loss, guided_weights(decoded, guided.head).narrow(1, guided.shift, steps),
      batch.goals.narrow(1, 0, steps));
  return result;
}

}  // namespace

nn::CrossEntropy teacher_forced_loss(const model::Seq2Seq& model, const data::Batch& batch,
                                     double label_smoothing) {
  const Predictions predictions =
      real_predictions(decode(model, model.encode(batch.reading()), batch), batch);
  return model.loss(predictions.outputs, predictions.targets, label_smoothing);
}

GuidedLoss guided_loss(const model::Seq2Seq& model, const data::Batch& given,
                       const nn::LossOptions& options, const GuidedAlignmentOptions& guided,
                       double reward_baseline, const FaithfulnessOptions& faithful) {
  if (options.r_drop > 0.0) {
    const torch::Tensor once = torch::arange(given.size());
    const nn::LinesScope both(nn::LinesScope::repeated(torch::cat({once, once})));
    return loss_of_passes(model, data::twice(given), options, guided, reward_baseline, faithful);
  }
  return loss_of_passes(model, given, options, guided, reward_baseline, faithful);
}

}  // namespace attend::train
