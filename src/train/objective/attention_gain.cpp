#include "train/objective/attention_gain.h"

#include <utility>

#include "nn/execution.h"

namespace attend::train {
namespace {

nn::Execution plain_execution() {
  nn::Execution execution = nn::execution();
  execution.fused = false;
  execution.shown_weights = true;
  return execution;
}

/// Equal weights over the real positions, [N, heads, S].
torch::Tensor uniform(const nn::PreparedMemory& memory, int64_t heads) {
  const torch::Tensor mask = memory.memory.mask.to(memory.memory.values.dtype());
  return (mask / mask.sum(1, /*keepdim=*/true)).unsqueeze(1).expand({-1, heads, -1});
}

/// The weights [N, heads, S] with the largest of each head set to 0 and the rest rescaled to the
/// same sum; all 0 where nothing is left.
torch::Tensor without_largest(const torch::Tensor& weights) {
  const torch::Tensor largest = weights.argmax(2, /*keepdim=*/true);
  const torch::Tensor rest = weights.scatter(2, largest, 0.0);
  const torch::Tensor left = rest.sum(2, /*keepdim=*/true);
  const torch::Tensor sum = weights.sum(2, /*keepdim=*/true);
  return rest * (sum / left.masked_fill(left == 0.0, 1.0));
}

model::Memories replaced(const model::Seq2Seq& model, model::Memories memories,
                         const model::Predicted& own, WeightReplacement replacement) {
  const model::LayerHeads heads = model.attention_heads().cross;
  for (std::size_t layer = 0; layer < memories.size(); ++layer) {
    const bool equal = replacement == WeightReplacement::uniform;
    const auto weights = [&own] {
      return own.heads.defined() ? own.heads : own.weights.unsqueeze(1);
    };
    memories[layer].forced_weights =
        equal ? uniform(memories[layer], heads.at(layer)) : without_largest(weights());
  }
  return memories;
}

/// The probabilities [N] of `words` [N].
torch::Tensor probability_of(const torch::Tensor& logits, const torch::Tensor& words) {
  const torch::Tensor scores = logits.gather(1, words.unsqueeze(1)).squeeze(1);
  return (scores - logits.logsumexp(1)).exp();
}

}  // namespace

torch::Tensor attention_gain(const model::Seq2Seq& model, const model::Encoded& encoded,
                             const data::Batch& batch, WeightReplacement replacement) {
  const nn::ExecutionScope scope(plain_execution());
  const torch::Tensor& inputs = batch.target_input.ids;  // [B, T]
  model::DecoderState state = encoded.start;
  std::vector<torch::Tensor> gains;
  for (int64_t t = 0; t < inputs.size(1); ++t) {
    const torch::Tensor previous = inputs.select(1, t), words = batch.target_output.select(1, t);
    model::Predicted own = model.step(previous, encoded.memories, state);
    const model::Predicted other =
        model.step(previous, replaced(model, encoded.memories, own, replacement), state);
    const torch::Tensor gain =
        probability_of(own.logits, words) - probability_of(other.logits, words);
    gains.push_back((gain * batch.target_input.mask.select(1, t)).sum());
    state = std::move(own.state);
  }
  return torch::stack(gains).sum();
}

}  // namespace attend::train
