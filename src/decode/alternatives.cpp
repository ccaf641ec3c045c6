#include "decode/alternatives.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <stdexcept>

#include "decode/finite.h"
#include "nn/execution.h"

namespace attend::decode {
namespace {

std::vector<Alternative> best_of(const torch::Tensor& log_probs, int64_t count) {
  const auto best = log_probs.topk(std::min(count, log_probs.size(0)));
  const auto values = std::get<0>(best).exp().contiguous();
  const auto tokens = std::get<1>(best).contiguous();
  std::vector<Alternative> result;
  for (int64_t i = 0; i < values.size(0); ++i) {
    result.push_back(
        {static_cast<text::TokenId>(tokens.data_ptr<int64_t>()[i]), values.data_ptr<double>()[i]});
  }
  return result;
}

/// log_probs [V] of a position.
Expectation expectation(const torch::Tensor& log_probs, text::TokenId token, int64_t count) {
  const auto finite = log_probs.clamp_min(-1e30);  // 0 * -inf is not 0
  return {log_probs[token].item<double>(), -(finite.exp() * finite).sum().item<double>(),
          best_of(log_probs, count)};
}

/// log_probs [T + 1, V] of a sentence.
std::vector<Expectation> expectations_of(const torch::Tensor& log_probs,
                                         std::span<const text::TokenId> target, int64_t count) {
  std::vector<Expectation> result;
  for (int64_t t = 0; t < log_probs.size(0); ++t) {
    const bool last = t == std::ssize(target);
    const text::TokenId token = last ? text::kEos : target[static_cast<std::size_t>(t)];
    result.push_back(expectation(log_probs[t], token, count));
  }
  return result;
}

/// [B, T, V] logits before each word of the targets.
torch::Tensor logits_in_steps(const model::Seq2Seq& model, const model::Encoded& encoded,
                              const torch::Tensor& words, const std::map<int64_t, int64_t>& looks) {
  const nn::ExecutionScope scope(nn::Execution{.fused = false});  // kernels know no masks
  model::DecoderState state = encoded.start;
  std::vector<torch::Tensor> logits;
  for (int64_t t = 0; t < words.size(1); ++t) {
    const auto look = looks.find(t);
    const int64_t column = look == looks.end() ? -1 : look->second;
    const auto columns = torch::full({words.size(0)}, column, words.options());
    model::Predicted step =
        model.step(words.select(1, t), model::only(encoded.memories, columns), state);
    state = std::move(step.state);
    logits.push_back(std::move(step.logits));
  }
  return torch::stack(logits, 1);
}

torch::Tensor logits_of(const model::Seq2Seq& model, const data::SentenceBatch& source,
                        const data::SentenceBatch& words, const std::map<int64_t, int64_t>& looks) {
  const model::Encoded encoded = model.encode(source);
  if (!looks.empty()) return logits_in_steps(model, encoded, words.ids, looks);
  return model.logits(model.decode(encoded, words).outputs.flatten(0, 1))
      .unflatten(0, {words.ids.size(0), words.ids.size(1)});
}

}  // namespace

std::vector<std::vector<Expectation>> expectations(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, int64_t count,
    const std::map<int64_t, int64_t>& looks) {
  if (model.is_training()) throw std::logic_error("forced decoding with a model in training mode");
  const c10::InferenceMode no_gradients;
  const auto teacher = data::frame_targets({targets.begin(), targets.end()}).to(model.device());
  const auto logits = logits_of(model, source.to(model.device()), teacher.input, looks);
  std::vector<std::vector<Expectation>> results;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto own = logits[static_cast<int64_t>(i)].narrow(0, 0, std::ssize(targets[i]) + 1);
    const auto log_probs = own.log_softmax(1).to(torch::kCPU, torch::kDouble);
    require_finite(log_probs);
    results.push_back(expectations_of(log_probs, targets[i], count));
  }
  return results;
}

}  // namespace attend::decode
