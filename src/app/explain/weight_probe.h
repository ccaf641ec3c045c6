#pragma once
#include <torch/types.h>

#include <functional>
#include <span>
#include <vector>

#include "app/explain/attention_sites.h"
#include "model/seq2seq.h"
#include "text/vocabulary.h"

namespace attend::app {

/// Turns the weights of one head into others.
using WeightChange = std::function<std::vector<double>(std::span<const double>)>;

/// The predictions of a model at a target position with its own weights.
struct OwnPrediction {
  text::TokenId decision = 0;             ///< the most probable token
  std::span<const double> probabilities;  ///< of all tokens
};

/// The probabilities of all tokens for scores [V].
[[nodiscard]] std::vector<double> probabilities_of(const torch::Tensor& scores);

/// Tells whether the token `next` belongs to what is being written after `previous`.
using Continues = std::function<bool(text::TokenId previous, text::TokenId next)>;

/// Tokens that a model writes, each the most probable one there.
struct Writing {
  std::vector<text::TokenId> tokens;  ///< at least one
  double probability = 1.0;           ///< of all of them
};

/// Follows a model through a given target. Computes, at each position, the predictions with other
/// attention weights there; everything else, such as the state after the earlier positions, stays
/// as it is.
class WeightProbe {
 public:
  /// Starts before the first token. Borrows the model. `source` and `target` are without special
  /// symbols.
  WeightProbe(const model::Seq2Seq& model, const std::vector<text::TokenId>& source,
              const std::vector<text::TokenId>& target);

  /// The scores of all tokens, not normalised, [changes, V] float on the CPU, if the heads of
  /// `site` have weights changed from `own`. Other heads of the same layers keep `own`; other
  /// layers compute their weights.
  [[nodiscard]] torch::Tensor scores(const HeadWeights& own, const AttentionSite& site,
                                     std::span<const WeightChange> changes) const;

  /// Continues from here once for each change of the weights of this position (see scores()). Later
  /// positions have their own weights. A writing ends before the first token that `continues`
  /// refuses, or after `most` tokens.
  [[nodiscard]] std::vector<Writing> writings(const HeadWeights& own, const AttentionSite& site,
                                              std::span<const WeightChange> changes,
                                              const Continues& continues, std::size_t most) const;

  /// The derivatives of ln p(token) with respect to the weights of the heads of `site`, summed over
  /// the heads: one for each source position.
  [[nodiscard]] std::vector<double> gradient(const HeadWeights& own, const AttentionSite& site,
                                             text::TokenId token) const;

  /// Reads the next token of the target. Requires: not behind the last one.
  void advance();

 private:
  /// step() with the weights of scores(). Requires: few enough changes for the memory.
  [[nodiscard]] model::Predicted changed_step(const HeadWeights& own, const AttentionSite& site,
                                              std::span<const WeightChange> changes) const;
  /// A decoder step of `rows` copies with `forced` weights, [rows, heads, S] by layer, undefined
  /// where a layer computes its own.
  [[nodiscard]] model::Predicted step(int64_t rows, const std::vector<torch::Tensor>& forced) const;

  const model::Seq2Seq& model_;
  std::vector<text::TokenId> inputs_;  // kBos, then the target
  std::size_t position_ = 0;
  model::Memories memories_;
  model::DecoderState state_;
};

}  // namespace attend::app
