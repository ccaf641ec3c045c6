#include "model/transformer/layer_options.h"

#include <cmath>

#include "nn/linear.h"

namespace attend::model {
namespace {

nn::SelfAttentionOptions inner_attention(const TransformerOptions& stack,
                                         const LayerAttentionOptions& attention, bool causal) {
  nn::SelfAttentionOptions options;
  options.attention.score = attention.score;
  options.attention.distribution = attention.distribution;
  options.attention.scope = attention.scope;
  options.attention.window = attention.window;
  options.attention.max_distance = attention.max_distance;
  options.attention.heads = stack.heads;
  options.positions = stack.positions;
  options.causal = causal;
  return options;
}

}  // namespace

LayerOptions layer_options(const TransformerOptions& stack, const LayerAttentionOptions& attention,
                           const ModelOptions& model, bool causal) {
  const int64_t size = width_of(stack, model);
  return {.size = size,
          .feed_forward = stack.feed_forward > 0 ? stack.feed_forward : 4 * size,
          .norm_first = stack.norm == NormPlace::pre,
          .activation = stack.activation,
          .dropout = model.dropout,
          .self_attention = inner_attention(stack, attention, causal)};
}

void scale_by_depth(const torch::nn::Module& layer, int64_t depth) {
  const double gain = 1.0 / std::sqrt(static_cast<double>(depth));
  for (const auto& module : layer.modules(/*include_self=*/false)) {
    if (auto* const linear = dynamic_cast<nn::Linear*>(module.get())) linear->set_gain(gain);
  }
}

}  // namespace attend::model
