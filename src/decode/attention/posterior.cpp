#include "decode/attention/posterior.h"

#include <c10/core/InferenceMode.h>

#include <limits>
#include <stdexcept>

#include "decode/attention/pair_maps.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/forced_pairs_check.h"
#include "nn/execution.h"
#include "nn/packed_weights.h"

namespace attend::decode {
namespace {

/// Positions whose weight is a smaller share of the largest weight are skipped, since each position
/// costs a decoder step. The limit is a share because all weights may be small, if they do not sum
/// to 1 or if the source is long.
constexpr double kLeastShare = 1e-3;

/// Decoder steps computed together; bounds the memory.
constexpr int64_t kStepsAtOnce = 256;

/// One target position of a batch.
struct Position {
  torch::Tensor previous;  // [B] int64: the word before
  torch::Tensor word;      // [B] int64
  torch::Tensor weights;   // [B, S]: the model's attention; 0 for ended sentences
};

/// The memory reduced to one position per row: row i has only positions[i] of sentences[i] (both
/// [N] int64).
nn::PreparedMemory source_of_one(const nn::PreparedMemory& memory, const torch::Tensor& sentences,
                                 const torch::Tensor& positions) {
  const auto pick = [&](const torch::Tensor& x) {
    return x.index({sentences, positions}).unsqueeze(1);  // [N, 1, *]
  };
  return {{pick(memory.memory.keys), pick(memory.memory.values), pick(memory.memory.mask),
           torch::ones_like(positions)},
          pick(memory.keys),
          {},
          {}};
}

/// The same, but keeps the other positions and masks them.
nn::PreparedMemory source_showing_one(const nn::PreparedMemory& memory,
                                      const torch::Tensor& sentences,
                                      const torch::Tensor& positions) {
  nn::PreparedMemory showing = memory.select(sentences);
  showing.memory.mask =
      torch::zeros_like(showing.memory.mask).scatter_(1, positions.unsqueeze(1), true);
  return showing;
}

/// Runs a decoder step for sentences[i] that attends to positions[i] alone (both [N] int64).
model::Predicted step_from_one(const model::Seq2Seq& model, const Position& position,
                               const model::Memories& memories, const model::DecoderState& state,
                               const torch::Tensor& sentences, const torch::Tensor& positions) {
  // If attention depends on neighbours, positions or previous attention, the other positions stay
  // but are masked. Fused attention ignores masks, so it is off then.
  const bool alone = model.is_pointwise();
  nn::Execution execution = nn::execution();
  execution.fused = execution.fused && alone;
  execution.shown_weights = false;
  const nn::ExecutionScope scope(execution);
  model::Memories seen;
  for (const nn::PreparedMemory& memory : memories) {
    seen.push_back((alone ? source_of_one : source_showing_one)(memory, sentences, positions));
  }
  return model.step(position.previous.index_select(0, sentences), seen, state.reorder(sentences));
}

/// [N]: log-probability of the next word of sentences[i] given source position positions[i] alone
/// (both [N] int64).
torch::Tensor word_log_probs(const model::Seq2Seq& model, const Position& position,
                             const model::Memories& memories, const model::DecoderState& state,
                             const torch::Tensor& sentences, const torch::Tensor& positions) {
  const model::Predicted step =
      step_from_one(model, position, memories, state, sentences, positions);
  const torch::Tensor words = position.word.index_select(0, sentences).unsqueeze(1);
  return step.logits.gather(1, words).squeeze(1) - step.logits.logsumexp(1);
}

/// The posterior at one target position, [B, S]; 0 for ended sentences.
torch::Tensor posterior_at(const model::Seq2Seq& model, const Position& position,
                           const model::Memories& memories, const model::DecoderState& state) {
  require_finite(position.weights);
  const torch::Tensor heaviest = position.weights.amax(1, /*keepdim=*/true);
  const torch::Tensor seen =
      position.weights.ge(heaviest * kLeastShare).logical_and(position.weights.gt(0));  // [B, S]
  const torch::Tensor hidden = seen.logical_not();
  torch::Tensor joint =
      position.weights.log().masked_fill(hidden, -std::numeric_limits<float>::infinity());
  const torch::Tensor several = seen.sum(1, /*keepdim=*/true).gt(1);
  const torch::Tensor contested = seen.logical_and(several).nonzero();  // [N, 2]
  for (const torch::Tensor& some : contested.split(kStepsAtOnce)) {
    if (some.size(0) == 0) continue;  // no sentence has a choice
    const torch::Tensor sentences = some.select(1, 0), positions = some.select(1, 1);
    joint.index_put_({sentences, positions},
                     word_log_probs(model, position, memories, state, sentences, positions),
                     /*accumulate=*/true);
  }
  return joint.softmax(1).masked_fill(hidden, 0.0);
}

void check_posterior(const model::Seq2Seq& model, std::size_t sources, std::size_t targets) {
  check_forced_pairs(model, sources, targets, "posterior");
  if (!model.attends()) throw std::logic_error("posterior: the model has no attention");
}

/// The posterior of words [B, T] that follow the inputs, [B, T, S].
torch::Tensor posterior_maps(const model::Seq2Seq& model, const data::SentenceBatch& source,
                             const data::SentenceBatch& inputs, const torch::Tensor& words) {
  nn::PackedWeights packed(kernels::WeightType::f32);
  nn::Execution execution = nn::execution();
  if (execution.fused) execution.packed = &packed;
  const nn::ExecutionScope scope(execution);
  const model::Encoded encoded = model.encode(source.to(model.device()));
  model::DecoderState state = encoded.start;
  std::vector<torch::Tensor> rows;
  for (int64_t t = 0; t < words.size(1); ++t) {
    Position position{inputs.ids.select(1, t), words.select(1, t), {}};
    model::Predicted step = model.step(position.previous, encoded.memories, state);
    position.weights = step.weights * inputs.mask.select(1, t).unsqueeze(1);
    rows.push_back(posterior_at(model, position, encoded.memories, state));
    state = std::move(step.state);
  }
  return torch::stack(rows, 1);
}

}  // namespace

std::vector<torch::Tensor> posterior(const model::Seq2Seq& model, const data::SentenceBatch& source,
                                     std::span<const std::vector<text::TokenId>> targets) {
  check_posterior(model, static_cast<std::size_t>(source.size()), targets.size());
  const c10::InferenceMode no_gradients;
  const auto teacher = data::frame_targets({targets.begin(), targets.end()}).to(model.device());
  return real_parts(posterior_maps(model, source, teacher.input, teacher.output), targets,
                    source.lengths);
}

torch::Tensor posterior_of_words(const model::Seq2Seq& model,
                                 const std::vector<text::TokenId>& source,
                                 const std::vector<text::TokenId>& target,
                                 std::span<const text::TokenId> words) {
  check_posterior(model, target.size() + 1, words.size());
  const c10::InferenceMode no_gradients;
  const auto inputs = data::frame_targets({target}).to(model.device()).input;
  const torch::Tensor given =
      torch::tensor(std::vector<int64_t>(words.begin(), words.end()), torch::kInt64)
          .to(model.device());
  return posterior_maps(model, data::frame_sources({source}), inputs, given.unsqueeze(0))
      .squeeze(0)
      .to(torch::kCPU, torch::kFloat);
}

}  // namespace attend::decode
