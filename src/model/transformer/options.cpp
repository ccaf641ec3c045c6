#include "model/transformer/options.h"

#include <fmt/format.h>

#include "config/keys_of.h"

namespace attend::model {
namespace {

using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;

std::string self_attention_cannot_use(const LayerAttentionOptions& options) {
  if (is_one_of(options.score, {ScoreKind::coverage, ScoreKind::location_aware})) {
    return fmt::format(
        "{} reads the weights of the previous step, but all positions of a layer attend at once; "
        "choose another score",
        options.score);
  }
  if (options.score == ScoreKind::location) {
    return "location does not read keys, so positions would not see one another; choose another "
           "score";
  }
  return "";
}

std::string self_attention_cannot_draw(const LayerAttentionOptions& options) {
  if (options.distribution != DistributionKind::hard) return "";
  return "hard draws positions, which only the attention to the source (model.attention) can do; "
         "choose another distribution";
}

template <class Options>
std::string relative_positions_need_all(const Options& options) {
  const ScopeKind scope = options.layer_attention.scope;
  const bool windowed = is_one_of(scope, {ScopeKind::local_m, ScopeKind::local_p});
  if (options.positions != PositionKind::relative || !windowed) return "";
  return fmt::format(
      "relative positions need all distances, but {} shows only a window; choose scope: global or "
      "position_bias, or other positions",
      scope);
}

template <class Options>
std::string max_distance_is_not_read(const Options& options) {
  const LayerAttentionOptions& attention = options.layer_attention;
  const bool is_read =
      attention.scope == ScopeKind::position_bias || options.positions == PositionKind::relative;
  if (is_read || attention.max_distance == LayerAttentionOptions().max_distance) return "";
  return fmt::format(
      "max_distance is a setting of scope position_bias and of positions: relative, and would have "
      "no effect with scope {} and positions: {}; leave it out, or choose "
      "position_bias or relative",
      attention.scope, options.positions);
}

std::string masked_attention_cannot_use(const TransformerDecoderOptions& options) {
  if (options.layer_attention.score == ScoreKind::convolution) {
    return "convolution would show a position the words after it, which the decoder has not "
           "written yet; choose another score";
  }
  if (options.layer_attention.scope == ScopeKind::local_p) {
    return "local_p predicts a position in the whole target, whose length is not known while it is "
           "written; choose local_m or another scope";
  }
  return "";
}

template <class Options>
std::string units_have_no_self_attention(const Options& options) {
  if (!is_one_of(options.positions, {PositionKind::relative, PositionKind::rotary})) return "";
  return fmt::format(
      "{} positions belong to self-attention, and {} has a recurrent unit in its place; choose "
      "sinusoidal, learned or none",
      options.positions, Options::kType);
}

template <class Options>
void describe_stack(config::Schema<Options>& schema) {
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 64), "Stacked layers.");
  schema.integer("width", &Options::width, config::in_range<int64_t>(0, 65536),
                 "Size of the vectors between layers; 0: the same as model.embedding.");
  schema.integer("feed_forward", &Options::feed_forward, config::in_range<int64_t>(0, 1048576),
                 "Inner size of the feed-forward networks; 0: four times the width.");
  schema.integer("heads", &Options::heads, config::in_range<int64_t>(1, 1024),
                 "Number of heads of the self-attention; a divisor of the width.");
  schema.choice("norm", &Options::norm,
                "Layer normalisation after each part of a layer and its residual connection "
                "(Vaswani et al. 2017), or before the part (Xiong et al. 2020).");
  schema.choice("positions", &Options::positions,
                "How the model knows positions: by vectors added to words, learned (Gehring et al. "
                "2017) or sinusoidal (Vaswani et al. 2017); by distances in the attention, "
                "relative (Shaw et al. 2018) or rotary (Su et al. 2021); or none.");
  schema.integer(
      "max_positions", &Options::max_positions, config::in_range<int64_t>(1, 1048576),
      "positions: learned: number of positions with a vector; later ones share the last.");
  schema.choice(
      "activation", &Options::activation,
      "Activation inside the feed-forward networks; the glu kinds have a gate, a third matrix "
      "(Shazeer 2020).");
  schema.number("layer_drop", &Options::layer_drop, config::in_range(0.0, 0.95),
                "Probability of skipping a layer in training (Fan et al. 2020).");
  schema.rule({"max_positions", "positions"}, [](const Options& options) -> std::string {
    const bool usual = options.max_positions == TransformerOptions().max_positions;
    if (usual || options.positions == PositionKind::learned) return "";
    return "max_positions counts learned vectors; choose positions: learned or leave it out";
  });
}

template <class Options>
void describe_layer_attention(config::Schema<Options>& schema) {
  schema.section("layer_attention", &Options::layer_attention, "The self-attention of the layers.");
  schema.rule({"positions", "layer_attention.scope"}, relative_positions_need_all<Options>);
  schema.idle_rule({"layer_attention.max_distance", "layer_attention.scope", "positions"},
                   max_distance_is_not_read<Options>);
}

template <class Options>
void describe_decoder_stack(config::Schema<Options>& schema) {
  describe_stack(schema);
  schema.integer(
      "alignment_layer", &Options::alignment_layer, config::in_range<int64_t>(0, 64),
      "Number of the layer, from 1, whose attention to the source is shown, guided and read for "
      "alignments; layer_drop never skips it. 0: the last.");
  schema.rule({"alignment_layer", "layers"}, [](const Options& options) -> std::string {
    if (options.alignment_layer <= options.layers) return "";
    return fmt::format("there are {} layers; choose one of them, or 0 for the last",
                       options.layers);
  });
}

template <class Options>
void describe_unit_stack(config::Schema<Options>& schema) {
  describe_decoder_stack(schema);
  schema.rule({"positions", "type"}, units_have_no_self_attention<Options>);
}

}  // namespace

void describe(config::Schema<LayerAttentionOptions>& schema) {
  using Options = LayerAttentionOptions;
  schema.choice("score", &Options::score,
                "How a query is compared with a key, as model.attention.score; not location or a "
                "score that reads the previous weights.");
  schema.choice("distribution", &Options::distribution,
                "How energies become weights, as model.attention.distribution; not hard.");
  schema.choice("scope", &Options::scope,
                "Which positions may get weight, as model.attention.scope, around the position "
                "that attends.");
  schema.integer("window", &Options::window, config::in_range<int64_t>(1, 65536),
                 "local_m, local_p: positions to each side of the centre.");
  schema.integer("max_distance", &Options::max_distance, config::in_range<int64_t>(0, 65536),
                 "position_bias, and positions: relative: larger distances count as this one.");
  schema.rule({"score"}, self_attention_cannot_use);
  schema.rule({"distribution"}, self_attention_cannot_draw);
  config::KeysOf(schema, "scope", &Options::scope)
      .add("window", &Options::window, {ScopeKind::local_m, ScopeKind::local_p});
}

void describe(config::Schema<TransformerEncoderOptions>& schema) {
  describe_stack(schema);
  describe_layer_attention(schema);
}

void describe(config::Schema<TransformerDecoderOptions>& schema) {
  describe_decoder_stack(schema);
  describe_layer_attention(schema);
  schema.rule({"layer_attention.score", "layer_attention.scope"}, masked_attention_cannot_use);
}

void describe(config::Schema<SsruDecoderOptions>& schema) {
  describe_unit_stack(schema);
}

void describe(config::Schema<GruDecoderOptions>& schema) {
  describe_unit_stack(schema);
}

void describe(config::Schema<LstmDecoderOptions>& schema) {
  describe_unit_stack(schema);
}

}  // namespace attend::model
