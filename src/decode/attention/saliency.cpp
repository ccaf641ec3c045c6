#include "decode/attention/saliency.h"

#include <c10/core/InferenceMode.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "core/random.h"
#include "decode/attention/pair_maps.h"
#include "decode/scoring/forced_pairs_check.h"
#include "nn/execution.h"

namespace attend::decode {
namespace {

/// Words whose scores over the vocabulary are differentiated together; bounds the memory.
constexpr int64_t kDifferentiatedAtOnce = 512;

/// Copies of a pair, one for each of its words, that are decoded together by saliency_of_words().
constexpr int64_t kCopiesAtOnce = 64;

/// The gradient of each log p(y[t]) with respect to the decoder's output before y[t], factored as
/// scale[t] * direction[t]: in float, 1 - p soon rounds to 0.
struct WordGradients {
  torch::Tensor direction;  // [W, D]
  torch::Tensor scale;      // [W] float64: 1 - p(y)
};

/// Gradients for outputs [W, D] and words [W]. With r the distribution over the other words,
///   d log p(y) / d logits = (1 - p(y)) (onehot(y) - r).
WordGradients gradients_of_some(const model::Seq2Seq& model, const torch::Tensor& outputs,
                                const torch::Tensor& words) {
  const torch::Tensor leaf = outputs.detach().requires_grad_();
  const torch::Tensor logits = model.logits(leaf);                // [W, V]
  const torch::Tensor all = logits.detach().to(torch::kFloat64);  // [W, V]
  const torch::Tensor column = words.unsqueeze(1);                // [W, 1]
  const torch::Tensor others = all.scatter(1, column, -std::numeric_limits<double>::infinity());
  const torch::Tensor direction = (-others.softmax(1)).scatter(1, column, 1.0);
  return {torch::autograd::grad({logits}, {leaf}, {direction.to(logits.scalar_type())})[0],
          (others.logsumexp(1) - all.logsumexp(1)).exp()};
}

/// Gradients [B, T, D] and [B, T] for outputs [B, T, D], words [B, T]; zero where `mask` is false.
WordGradients word_gradients(const model::Seq2Seq& model, const torch::Tensor& outputs,
                             const torch::Tensor& words, const torch::Tensor& mask) {
  const torch::Tensor rows = mask.flatten().nonzero().squeeze(1);  // [W]
  const torch::Tensor flat = outputs.detach().flatten(0, 1);       // [B * T, D]
  torch::Tensor direction = torch::zeros_like(flat);
  torch::Tensor scale = torch::zeros({flat.size(0)}, flat.options().dtype(torch::kFloat64));
  for (const torch::Tensor& some : rows.split(kDifferentiatedAtOnce)) {
    const WordGradients found =
        gradients_of_some(model, flat.index_select(0, some), words.flatten().index_select(0, some));
    direction.index_copy_(0, some, found.direction);
    scale.index_copy_(0, some, found.scale);
  }
  return {direction.view_as(outputs), scale.view_as(mask)};
}

/// Unnormalised saliency [B, T, S] float64 for source vectors `embedded` [B, S, E].
torch::Tensor saliency_at(const model::Seq2Seq& model, const data::SentenceBatch& source,
                          const torch::Tensor& embedded, const data::FramedTargets& teacher) {
  const torch::Tensor leaf = embedded.detach().requires_grad_();
  const torch::Tensor outputs =
      model.decode(model.encode_embedded(source, leaf), teacher.input).outputs;  // [B, T, D]
  const WordGradients words = word_gradients(model, outputs, teacher.output, teacher.input.mask);
  const torch::Tensor values = embedded.detach().to(torch::kFloat64);  // [B, S, E]
  std::vector<torch::Tensor> rows;
  for (int64_t t = 0; t < outputs.size(1); ++t) {
    // Differentiates one output position at a time, so that the words' gradients are not summed.
    const torch::Tensor gradient = torch::autograd::grad(
        {outputs.select(1, t)}, {leaf}, {words.direction.select(1, t)},
        /*retain_graph=*/true, /*create_graph=*/false, /*allow_unused=*/true)[0];
    const torch::Tensor map = gradient.defined() ? (gradient.to(torch::kFloat64) * values).abs()
                                                 : torch::zeros_like(values);
    rows.push_back(map.sum(2) * words.scale.select(1, t).unsqueeze(1));  // [B, S]
  }
  return torch::stack(rows, 1);
}

/// Normal noise for the source vectors, from one stream per sentence so that it does not depend on
/// the batch.
class Noise {
 public:
  Noise(std::span<const int64_t> sentences, const SaliencyOptions& options)
      : sigma_(options.sigma) {
    for (const int64_t sentence : sentences)
      streams_.push_back(stream(options.seed, "saliency", static_cast<uint64_t>(sentence)));
  }

  /// Returns `embedded` [B, S, E] with new noise on all positions but padding.
  [[nodiscard]] torch::Tensor added_to(const torch::Tensor& embedded,
                                       const torch::Tensor& lengths) {
    torch::Tensor noise = torch::zeros(embedded.sizes(), torch::kFloat64);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      const int64_t length = lengths[row].item<int64_t>();
      const torch::Tensor real = embedded[row].narrow(0, 0, length);
      const double range = (real.max() - real.min()).item<double>();
      fill(noise[row].narrow(0, 0, length), sigma_ * range, streams_[i]);
    }
    return embedded + noise.to(embedded.options());
  }

 private:
  /// Box & Muller (1958).
  static void fill(const torch::Tensor& contiguous, double deviation, Random& random) {
    auto* values = contiguous.data_ptr<double>();
    for (int64_t i = 0; i < contiguous.numel(); ++i) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
      values[i] = deviation * radius * std::cos(2.0 * std::numbers::pi * random.uniform());
    }
  }

  double sigma_;
  std::vector<Random> streams_;
};

/// Scales rows to sum to 1 over the source; rows of zeros stay zero.
torch::Tensor normalized(const torch::Tensor& maps) {
  const torch::Tensor sums = maps.sum(2, /*keepdim=*/true);
  return maps / sums.masked_fill(sums == 0.0, 1.0);
}

void check_saliency(const model::Seq2Seq& model, std::size_t sources, std::size_t targets) {
  check_forced_pairs(model, sources, targets, "saliency");
  if (c10::InferenceMode::is_enabled())
    throw std::logic_error("saliency needs gradients, which inference mode forbids");
}

/// Unnormalised saliency [W, S] of words [W] at target positions [W], each in a copy of one pair.
torch::Tensor saliency_in_copies(const model::Seq2Seq& model, const data::SentenceBatch& source,
                                 const data::SentenceBatch& target, const torch::Tensor& positions,
                                 const torch::Tensor& words) {
  const int64_t copies = positions.size(0);
  const auto copied = [copies](const data::SentenceBatch& batch) {
    return data::SentenceBatch{batch.ids.expand({copies, -1}), batch.lengths.expand({copies}),
                               batch.mask.expand({copies, -1})};
  };
  const data::SentenceBatch sources = copied(source);
  const torch::Tensor leaf = model.embed_source(sources).detach().requires_grad_();
  const torch::Tensor outputs =
      model.decode(model.encode_embedded(sources, leaf), copied(target)).outputs;  // [W, T, D]
  const torch::Tensor rows = torch::arange(copies, positions.options());
  const torch::Tensor explained = outputs.index({rows, positions});  // [W, D]
  const WordGradients gradients = gradients_of_some(model, explained.detach(), words);
  const torch::Tensor found = torch::autograd::grad({explained}, {leaf}, {gradients.direction},
                                                    /*retain_graph=*/false, /*create_graph=*/false,
                                                    /*allow_unused=*/true)[0];
  const torch::Tensor values = leaf.detach().to(torch::kFloat64);
  const torch::Tensor influence =
      found.defined() ? (found.to(torch::kFloat64) * values).abs() : torch::zeros_like(values);
  return influence.sum(2) * gradients.scale.unsqueeze(1);
}

struct TokenPair {
  const std::vector<text::TokenId>& source;
  const std::vector<text::TokenId>& target;
};

/// Row i, [S], explains words[i] at target position positions[i].
torch::Tensor some_saliency(const model::Seq2Seq& model, const TokenPair& pair,
                            const torch::Tensor& positions, std::span<const text::TokenId> words) {
  const torch::AutoGradMode with_gradients(true);
  const auto input = data::frame_sources({pair.source}).to(model.device());
  const auto teacher = data::frame_targets({pair.target}).to(model.device()).input;
  const torch::Tensor ids =
      torch::tensor(std::vector<int64_t>(words.begin(), words.end()), torch::kInt64)
          .to(model.device());
  std::vector<torch::Tensor> rows;
  for (const torch::Tensor& some : torch::arange(ids.size(0), ids.options()).split(kCopiesAtOnce))
    rows.push_back(saliency_in_copies(
        model, input, teacher, positions.to(model.device()).index({some}), ids.index({some})));
  const torch::Tensor map = normalized(torch::cat(rows).unsqueeze(0)).squeeze(0);
  return map.to(torch::kCPU, torch::kFloat);
}

}  // namespace

std::vector<torch::Tensor> saliency(const model::Seq2Seq& model, const data::SentenceBatch& source,
                                    std::span<const std::vector<text::TokenId>> targets,
                                    std::span<const int64_t> sentences,
                                    const SaliencyOptions& options) {
  check_saliency(model, static_cast<std::size_t>(source.size()), targets.size());
  if (sentences.size() != targets.size())
    throw std::logic_error("saliency: expected one number per source");
  const torch::AutoGradMode with_gradients(true);
  // A fused loop allows only one backward pass.
  const nn::ExecutionScope plain({.fused = false, .bf16 = false});
  const auto input = source.to(model.device());
  const auto teacher = data::frame_targets({targets.begin(), targets.end()}).to(model.device());
  const torch::Tensor embedded = model.embed_source(input).detach();  // [B, S, E]
  Noise noise(sentences, options);
  torch::Tensor maps;  // [B, T, S]
  for (int64_t i = 0; i < std::max<int64_t>(options.samples, 1); ++i) {
    const torch::Tensor point =
        options.samples > 0 ? noise.added_to(embedded, source.lengths) : embedded;
    const torch::Tensor found = saliency_at(model, input, point, teacher);
    maps = maps.defined() ? maps + found : found;
  }
  return real_parts(normalized(maps), targets, source.lengths);
}

torch::Tensor saliency_of_words(const model::Seq2Seq& model,
                                const std::vector<text::TokenId>& source,
                                const std::vector<text::TokenId>& target,
                                std::span<const text::TokenId> words) {
  check_saliency(model, target.size() + 1, words.size());
  return some_saliency(model, {source, target},
                       torch::arange(static_cast<int64_t>(words.size()), torch::kInt64), words);
}

torch::Tensor saliency_of_word(const model::Seq2Seq& model,
                               const std::vector<text::TokenId>& source,
                               const std::vector<text::TokenId>& target, text::TokenId word) {
  check_saliency(model, 1, 1);
  const auto last = static_cast<int64_t>(target.size());
  return some_saliency(model, {source, target}, torch::tensor({last}), {&word, 1})[0];
}

}  // namespace attend::decode
