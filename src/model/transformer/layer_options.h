#pragma once
#include "model/options.h"
#include "nn/attention/self_attention.h"

namespace attend::model {

/// Options of the layers of a stack, with all defaults resolved.
struct LayerOptions {
  int64_t size = 0;          // C, size of the stream
  int64_t feed_forward = 0;  // inner size
  bool norm_first = true;    // pre-norm
  Activation activation = Activation::relu;
  DropoutOptions dropout;
  nn::SelfAttentionOptions self_attention;
};

/// Options of the layers of `stack`, which is the section `model.encoder` or `model.decoder`.
[[nodiscard]] LayerOptions layer_options(const TransformerOptions& stack,
                                         const LayerAttentionOptions& attention,
                                         const ModelOptions& model, bool causal);

/// Makes initialize() scale the matrices of a layer's nn::Linear modules by 1 / sqrt(depth);
/// `depth` counts from 1. Parameters of scores, scopes and the like are not scaled. With this
/// depth-scaled initialisation, deep stacks train with pre-norm or post-norm (Zhang, Titov &
/// Sennrich 2019, arXiv 1908.11365, Eq. 10 with alpha = 1).
void scale_by_depth(const torch::nn::Module& layer, int64_t depth);

}  // namespace attend::model
