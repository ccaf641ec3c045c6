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

/// Follows a model through a given target. Computes, at each position, the predictions with other
/// attention weights there; everything else, such as the state after the earlier positions, stays
/// as it is.
class WeightProbe {
 public:
  /// Starts before the first token. Borrows the model. `source` and `target` are without special
  /// symbols.
  WeightProbe(const model::Seq2Seq& model, const std::vector<text::TokenId>& source,
              const std::vector<text::TokenId>& target);

  /// The unnormalised scores of all tokens, [changes, V] float on the CPU, with each change of the
  /// weights `own` of the heads of `site`. Other heads of the same layers keep `own`; other layers
  /// compute their weights.
  [[nodiscard]] torch::Tensor scores(const HeadWeights& own, const AttentionSite& site,
                                     std::span<const WeightChange> changes) const;

  /// The derivatives of ln p(token) with respect to the weights of the heads of `site`, summed over
  /// the heads: one for each source position.
  [[nodiscard]] std::vector<double> gradient(const HeadWeights& own, const AttentionSite& site,
                                             text::TokenId token) const;

  /// Reads the next token of the target. Requires: the target has one.
  void advance();

 private:
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
