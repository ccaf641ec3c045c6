#include "decode/forced/forced.h"

#include <c10/core/InferenceMode.h>

#include <cmath>
#include <numeric>

#include "decode/attention/pair_maps.h"
#include "decode/forced/word_blocks.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/forced_pairs_check.h"

namespace attend::decode {
namespace {

/// Scores of W words: [W] float64 each, on the CPU.
struct WordScores {
  torch::Tensor log_probs;
  torch::Tensor right;  // 1 if the word is the most probable one, else 0
};

/// outputs [W, D], words [W].
WordScores scores_of_words(const model::Seq2Seq& model, const torch::Tensor& outputs,
                           const torch::Tensor& words) {
  std::vector<torch::Tensor> log_probs;
  std::vector<torch::Tensor> right;
  for_each_block(model, outputs, [&](const torch::Tensor& logits, int64_t first) {
    const auto own = words.narrow(0, first, logits.size(0));
    const auto chosen = logits.gather(1, own.unsqueeze(1)).squeeze(1);
    log_probs.push_back((chosen - logits.logsumexp(1)).to(torch::kCPU, torch::kDouble));
    right.push_back(chosen.ge(logits.amax(1)).to(torch::kCPU, torch::kDouble));
  });
  return {torch::cat(log_probs).contiguous(), torch::cat(right).contiguous()};
}

void add_attention(std::vector<ForcedDecoding>& results, const model::Decoded& decoded,
                   const torch::Tensor& source_lengths) {
  if (!decoded.weights.defined()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const auto length = static_cast<int64_t>(results[i].token_log_probs.size());
    const auto source_length = source_lengths[row].item<int64_t>();
    results[i].attention = real_part(decoded.weights[row], length, source_length);
    if (decoded.heads.defined())
      results[i].heads = real_part(decoded.heads[row], length, source_length);
  }
}

}  // namespace

std::vector<ForcedDecoding> force_decode(const model::Seq2Seq& model,
                                         const data::SentenceBatch& source,
                                         std::span<const std::vector<text::TokenId>> targets,
                                         bool keep_attention) {
  check_forced_pairs(model, static_cast<std::size_t>(source.size()), targets.size(),
                     "forced decoding");
  const c10::InferenceMode no_gradients;
  const auto teacher = data::frame_targets({targets.begin(), targets.end()}).to(model.device());
  const auto& input = teacher.input;
  const auto words = teacher.output.masked_select(input.mask);
  const auto decoded = model.decode(model.encode(source.to(model.device())), input);
  const auto scores = scores_of_words(
      model,
      decoded.outputs.flatten(0, 1).index_select(0, input.mask.flatten().nonzero().squeeze(1)),
      words);

  require_finite(scores.log_probs);
  std::vector<ForcedDecoding> results(targets.size());
  const auto* next = scores.log_probs.data_ptr<double>();
  const auto* right = scores.right.data_ptr<double>();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t tokens = targets[i].size() + 1;
    results[i].token_log_probs.assign(next, next + tokens);
    results[i].right_tokens = std::lround(std::accumulate(right, right + tokens, 0.0));
    next += tokens;
    right += tokens;
  }
  if (keep_attention) add_attention(results, decoded, source.lengths);
  return results;
}

}  // namespace attend::decode
