#pragma once
#include "model/options.h"
#include "nn/attention/self_attention.h"

namespace attend::model {

/// What the layers of a stack are made of, with everything settled that configs may leave open.
struct LayerOptions {
  int64_t size = 0;          // C, of the vectors that go through
  int64_t feed_forward = 0;  // inner size
  bool norm_first = true;    // pre-norm
  Activation activation = Activation::relu;
  DropoutOptions dropout;
  nn::SelfAttentionOptions self_attention;
};

/// The layers of `model.encoder` and `model.decoder`, whose own options are `stack`.
[[nodiscard]] LayerOptions layer_options(const TransformerOptions& stack,
                                         const LayerAttentionOptions& attention,
                                         const ModelOptions& model, bool causal);

/// Makes initialize() fill the matrices of the nn::Linear modules of a layer, counted from 1, with
/// 1 / sqrt(depth) times what they would get, and not what scores, scopes and the like hold
/// themselves: depth-scaled initialisation, with which deep stacks of either norm train (Zhang,
/// Titov & Sennrich 2019, arXiv 1908.11365, Eq. 10 with alpha = 1).
void scale_by_depth(const torch::nn::Module& layer, int64_t depth);

}  // namespace attend::model
