#include "decode/forced/alternatives.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

#include "decode/forced/word_blocks.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/forced_pairs_check.h"
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

/// The prediction at one position, whose log-probabilities are `log_probs` [V].
Expectation expectation(const torch::Tensor& log_probs, text::TokenId token, int64_t count) {
  const auto finite = log_probs.clamp_min(-1e30);  // 0 * -inf is not 0
  return {log_probs[token].item<double>(), -(finite.exp() * finite).sum().item<double>(),
          best_of(log_probs, count)};
}

/// Collects the predictions for the [B, T] words of the targets, ends and padding included.
class Collector {
 public:
  Collector(std::span<const std::vector<text::TokenId>> targets, int64_t length, int64_t count)
      : targets_(targets), length_(length), count_(count) {
    for (const auto& target : targets) results_.emplace_back(target.size() + 1);
  }

  /// Adds logits [W, V]. Row i belongs to word `first` + i * `step` of [B, T] in row-major order.
  void add(const torch::Tensor& logits, int64_t first, int64_t step) {
    const auto log_probs = logits.log_softmax(1).to(torch::kCPU);
    for (int64_t row = 0; row < log_probs.size(0); ++row) {
      const int64_t word = first + row * step;
      add_word(log_probs[row], static_cast<std::size_t>(word / length_),
               static_cast<std::size_t>(word % length_));
    }
  }

  [[nodiscard]] std::vector<std::vector<Expectation>> take() { return std::move(results_); }

 private:
  /// Adds log_probs [V]; ignores positions after the end of the target.
  void add_word(const torch::Tensor& log_probs, std::size_t target, std::size_t position) {
    const auto& words = targets_[target];
    if (position > words.size()) return;
    const text::TokenId token = position == words.size() ? text::kEos : words[position];
    const auto precise = log_probs.to(torch::kDouble);
    require_finite(precise);
    results_[target][position] = expectation(precise, token, count_);
  }

  std::span<const std::vector<text::TokenId>> targets_;
  int64_t length_;
  int64_t count_;
  std::vector<std::vector<Expectation>> results_;
};

void collect_in_steps(const model::Seq2Seq& model, const model::Encoded& encoded,
                      const torch::Tensor& words,
                      const std::map<int64_t, int64_t>& forced_attention, Collector& collector) {
  const nn::ExecutionScope scope(nn::Execution{.fused = false});  // kernels do not read masks
  model::DecoderState state = encoded.start;
  for (int64_t t = 0; t < words.size(1); ++t) {
    const auto forced = forced_attention.find(t);
    const int64_t column = forced == forced_attention.end() ? -1 : forced->second;
    const auto columns = torch::full({words.size(0)}, column, words.options());
    model::Predicted step =
        model.step(words.select(1, t), model::restrict_to(encoded.memories, columns), state);
    state = std::move(step.state);
    collector.add(step.logits, t, words.size(1));
  }
}

void collect_in_blocks(const model::Seq2Seq& model, const model::Encoded& encoded,
                       const data::SentenceBatch& words, Collector& collector) {
  const auto outputs = model.decode(encoded, words).outputs.flatten(0, 1);
  for_each_block(model, outputs, [&](const torch::Tensor& logits, int64_t first) {
    collector.add(logits, first, 1);
  });
}

}  // namespace

std::vector<std::vector<Expectation>> expectations(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, int64_t count,
    const std::map<int64_t, int64_t>& forced_attention) {
  check_forced_pairs(model, static_cast<std::size_t>(source.size()), targets.size(),
                     "alternatives");
  const c10::InferenceMode no_gradients;
  const auto teacher = data::frame_targets({targets.begin(), targets.end()}).to(model.device());
  const model::Encoded encoded = model.encode(source.to(model.device()));
  Collector collector(targets, teacher.input.ids.size(1), count);
  if (forced_attention.empty()) {
    collect_in_blocks(model, encoded, teacher.input, collector);
  } else {
    collect_in_steps(model, encoded, teacher.input.ids, forced_attention, collector);
  }
  return collector.take();
}

}  // namespace attend::decode
