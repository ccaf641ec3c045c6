#include "model/family_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "config/keys_of.h"
#include "config/print.h"
#include "model/family_names.h"
#include "nn/rnn/names.h"

namespace attend::model {
namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keys that some values of a section's `type` read.
template <class Options>
class KeysOfTypes {
 public:
  KeysOfTypes(config::Schema<Options>& schema, std::vector<std::string> types)
      : keys_(schema, "type", &Options::type), types_(std::move(types)) {}

  template <class Holder, class Value>
  void add(const std::string& key, Value Holder::*member) const {
    keys_.add(key, member, types_);
  }

 private:
  config::KeysOf<Options> keys_;
  std::vector<std::string> types_;
};

template <class Options>
void add_stack_keys(const KeysOfTypes<Options>& keys) {
  keys.add("width", &Options::width);
  keys.add("feed_forward", &Options::feed_forward);
  keys.add("heads", &Options::heads);
  keys.add("norm", &Options::norm);
  keys.add("positions", &Options::positions);
  keys.add("max_positions", &Options::max_positions);
  keys.add("activation", &Options::activation);
  keys.add("layer_drop", &Options::layer_drop);
}

template <class Options>
std::string memory_is_of_some_cells(const Options& options) {
  if (options.memory == Options().memory || nn::cell_has_memory(options.cell)) return "";
  return fmt::format(
      "{} has no memory of this kind, so the section would have no effect; leave it out, or choose "
      "cell: ntm or dnc",
      options.cell);
}

template <class Options>
std::string only_dnc_has_links(const Options& options) {
  if (!options.memory.sharp_links || options.cell != "ntm") return "";
  return "ntm does not remember in which order it wrote, so memory.sharp_links would have no "
         "effect; leave it out, or choose cell: dnc";
}

template <class Options>
void add_recurrent_keys(const KeysOfTypes<Options>& keys, config::Schema<Options>& schema) {
  schema.rule({"memory", "cell"}, memory_is_of_some_cells<Options>);
  schema.rule({"memory.sharp_links", "cell"}, only_dnc_has_links<Options>);
  keys.add("cell", &Options::cell);
  keys.add("hidden", &Options::hidden);
  keys.add("residual", &Options::residual);
  keys.add("layer_norm", &Options::layer_norm);
}

std::string self_attention_cannot_go_by(const LayerAttentionOptions& options) {
  if (is_one_of(options.score, {"coverage", "location_aware"})) {
    return options.score +
           " reads the weights of the step before, but the positions of a layer look at one "
           "another "
           "all at once; choose another score";
  }
  if (options.score == "location") {
    return "location does not look at keys, so that positions would not see one another; choose "
           "another score";
  }
  return "";
}

std::string self_attention_cannot_draw(const LayerAttentionOptions& options) {
  if (options.distribution != "hard") return "";
  return "hard draws positions, which is there for the attention to the source (model.attention) "
         "alone; choose another distribution";
}

template <class Options>
std::string relative_positions_need_all(const Options& options) {
  const std::string& scope = options.layer_attention.scope;
  if (options.positions != "relative" || !is_one_of(scope, {"local_m", "local_p"})) return "";
  return fmt::format(
      "relative positions are for all distances, and {} shows a window of them; choose scope: "
      "global or position_bias, or other positions",
      scope);
}

template <class Options>
std::string nobody_reads_distances(const Options& options) {
  const LayerAttentionOptions& attention = options.layer_attention;
  const bool read = attention.scope == "position_bias" || options.positions == "relative";
  if (read || attention.max_distance == LayerAttentionOptions().max_distance) return "";
  return fmt::format(
      "max_distance is a setting of scope position_bias and of positions: relative, and would have "
      "no effect with scope {} and positions: {}; leave it out, or choose one of these",
      attention.scope, options.positions);
}

std::string masked_attention_cannot_go_by(const DecoderOptions& options) {
  if (options.type != "transformer") return "";
  if (options.layer_attention.score == "convolution") {
    return "convolution would show a position the words behind it, which the decoder has yet to "
           "write; choose another score";
  }
  if (options.layer_attention.scope == "local_p") {
    return "local_p predicts a place in the whole target, whose length is not known while it is "
           "written; choose local_m or another scope";
  }
  return "";
}

std::string recurrent_units_are_no_self_attention(const DecoderOptions& options) {
  const bool told = is_one_of(options.positions, {"relative", "rotary"});
  if (!told || !is_one_of(options.type, {"gru", "lstm", "ssru"})) return "";
  return fmt::format(
      "{} positions are told to self-attention, and {} has a recurrent unit in its place; choose "
      "sinusoidal, learned or none",
      options.positions, options.type);
}

std::string no_such_layer(const DecoderOptions& options) {
  if (options.alignment_layer <= options.layers) return "";
  return fmt::format("there are {} layers; choose one of them, or 0 for the last", options.layers);
}

std::string max_positions_are_learned(int64_t max_positions, const std::string& positions) {
  if (max_positions == TransformerOptions().max_positions || positions == "learned") return "";
  return "max_positions counts learned vectors; choose positions: learned or leave it out";
}

template <class Options>
void add_stack_rules(config::Schema<Options>& schema) {
  schema.rule({"positions", "layer_attention.scope"}, relative_positions_need_all<Options>);
  schema.idle_rule({"layer_attention.max_distance", "layer_attention.scope", "positions"},
                   nobody_reads_distances<Options>);
  schema.rule({"max_positions", "positions"}, [](const Options& options) {
    return max_positions_are_learned(options.max_positions, options.positions);
  });
}

/// Why `heads` heads do not fit into the width of a stack.
std::string heads_must_divide(int64_t heads, const TransformerOptions& stack,
                              const ModelOptions& model) {
  const int64_t width = width_of(stack, model);
  if (width % heads == 0) return "";
  return fmt::format("{} heads cannot share the width of {} evenly; choose a divisor", heads,
                     width);
}

std::string turned_features_are_pairs(const TransformerOptions& stack, const ModelOptions& model) {
  const int64_t width = width_of(stack, model);
  if (stack.positions != "rotary" || width % (2 * stack.heads) == 0) return "";
  return fmt::format(
      "rotary positions turn pairs of features, but a head has {} of them; choose "
      "another number of heads",
      width / stack.heads);
}

std::string encoder_heads_must_fit(const ModelOptions& options) {
  if (options.encoder.type != "transformer") return "";
  const std::string problem = heads_must_divide(options.encoder.heads, options.encoder, options);
  return problem.empty() ? turned_features_are_pairs(options.encoder, options) : problem;
}

std::string decoder_heads_must_fit(const ModelOptions& options) {
  if (options.decoder.type == "recurrent") return "";
  const std::string problem = heads_must_divide(options.decoder.heads, options.decoder, options);
  return problem.empty() ? turned_features_are_pairs(options.decoder, options) : problem;
}

std::string source_heads_must_fit(const ModelOptions& options) {
  if (options.decoder.type == "recurrent") return "";
  return heads_must_divide(options.attention.heads, options.decoder, options);
}

std::string parts_of_words_are_even(const ModelOptions& options) {
  if (options.encoder.type != "memory") return "";
  const int64_t parts = word_parts(options.encoder.hops);
  if (options.embedding % parts == 0) return "";
  return fmt::format(
      "a word's vector has {} parts of one size (encoder.hops.tying: {}), and {} is no multiple of "
      "that; choose {}",
      parts, options.encoder.hops.tying, options.embedding,
      (options.embedding / parts + 1) * parts);
}

bool has_two_levels(const ModelOptions& options) {
  return options.encoder.type == "hierarchical";
}

std::string two_levels_take_a_recurrent_decoder(const ModelOptions& options) {
  if (!has_two_levels(options) || options.decoder.type == "recurrent") return "";
  return fmt::format(
      "encoder.type: hierarchical gives segments and words, and decoder.type: {} attends to words "
      "alone; choose decoder.type: recurrent",
      options.decoder.type);
}

std::string two_levels_have_no_places(const ModelOptions& options) {
  if (!has_two_levels(options)) return "";
  if (is_one_of(options.attention.score, {"coverage", "location", "location_aware"})) {
    return options.attention.score +
           " goes by places in a whole line or by the weights of the step before, which attention "
           "to segments and inside them (encoder.type: hierarchical) has not; choose another score";
  }
  if (options.attention.scope == "global") return "";
  return options.attention.scope +
         " goes by places in a whole line, and encoder.type: hierarchical has attention to "
         "segments and inside them; choose scope: global";
}

std::string two_levels_weigh_once(const ModelOptions& options) {
  if (!has_two_levels(options)) return "";
  const bool once = options.attention.heads == 1 && !options.attention.per_feature &&
                    options.attention.distribution != "hard";
  if (once) return "";
  return "attention to segments and inside them (encoder.type: hierarchical) has one weight for "
         "each word, and none is drawn; set attention.heads: 1, per_feature: false and a "
         "distribution other than hard";
}

std::string no_weights_to_drop(const ModelOptions& options) {
  const EncoderOptions& encoder = options.encoder;
  const bool inside = encoder.type == "transformer" ||
                      (encoder.type == "recurrent" && encoder.self_attention != "none");
  if (attends(options) || inside || options.dropout.attention == 0.0) return "";
  return fmt::format(
      "dropout.attention is on the weights of attention, and with decoder.wiring: {} there is "
      "none; "
      "leave it out, or choose another wiring",
      options.decoder.wiring);
}

/// How a decoder attends is all the same to one that does not.
void add_attention_rules(config::Schema<ModelOptions>& schema) {
  const auto attention = config::schema_of<nn::AttentionOptions>();
  for (const auto& field : attention.fields()) {
    const auto value = [field](const nn::AttentionOptions& options) {
      return config::to_flow(field.write(options));
    };
    const auto problem = [name = field.info.name, value](const ModelOptions& options) {
      const bool asked = value(options.attention) != value(nn::AttentionOptions());
      if (!asked || attends(options)) return std::string();
      return fmt::format(
          "attention.{} is a setting of the attention to the source and would have no effect with "
          "decoder.wiring: {}, which has none; leave it out, or choose another wiring",
          name, options.decoder.wiring);
    };
    schema.idle_rule({"attention." + field.info.name, "decoder.wiring"}, problem);
  }
}

std::string no_state_to_drop(const ModelOptions& options) {
  const EncoderOptions& encoder = options.encoder;
  const DecoderOptions& decoder = options.decoder;
  const bool read = is_one_of(encoder.type, {"hierarchical", "recurrent"}) &&
                    nn::cell_has_recurrent_weights(encoder.cell);
  const bool written = decoder.type == "recurrent" && nn::cell_has_recurrent_weights(decoder.cell);
  const bool stacked = is_one_of(decoder.type, {"gru", "lstm"});
  if (read || written || stacked || options.dropout.recurrent == 0.0) return "";
  return "dropout.recurrent is on states that a matrix of a recurrent layer multiplies, and there "
         "are none; leave it out";
}

std::string no_feed_forward_to_drop(const ModelOptions& options) {
  const bool none = options.encoder.type != "transformer" && options.decoder.type == "recurrent";
  if (!none || options.dropout.feed_forward == 0.0) return "";
  return "dropout.feed_forward is inside transformer layers, and there are none; leave it out";
}

}  // namespace

void add_layer_attention_rules(config::Schema<LayerAttentionOptions>& schema) {
  schema.rule({"score"}, self_attention_cannot_go_by);
  schema.rule({"distribution"}, self_attention_cannot_draw);
  config::KeysOf<LayerAttentionOptions>(schema, "scope", &LayerAttentionOptions::scope)
      .add("window", &LayerAttentionOptions::window, {"local_m", "local_p"});
}

void add_encoder_rules(config::Schema<EncoderOptions>& schema) {
  using Options = EncoderOptions;
  const KeysOfTypes<Options> layers(schema, {"recurrent", "hierarchical"});
  add_recurrent_keys(layers, schema);
  layers.add("bidirectional", &Options::bidirectional);
  const KeysOfTypes<Options> recurrent(schema, {"recurrent"});
  recurrent.add("reverse_source", &Options::reverse_source);
  recurrent.add("repeat_source", &Options::repeat_source);
  recurrent.add("self_attention", &Options::self_attention);
  const KeysOfTypes<Options> transformer(schema, {"transformer"});
  add_stack_keys(transformer);
  transformer.add("layer_attention", &Options::layer_attention);
  KeysOfTypes<Options>(schema, {"memory"}).add("hops", &Options::hops);
  KeysOfTypes<Options>(schema, {"recurrent", "hierarchical", "transformer"})
      .add("layers", &Options::layers);
  add_stack_rules(schema);
}

void add_decoder_rules(config::Schema<DecoderOptions>& schema) {
  using Options = DecoderOptions;
  const KeysOfTypes<Options> recurrent(schema, {"recurrent"});
  add_recurrent_keys(recurrent, schema);
  recurrent.add("wiring", &Options::wiring);
  recurrent.add("input_feeding", &Options::input_feeding);
  recurrent.add("bridge", &Options::bridge);
  recurrent.add("readout", &Options::readout);
  const config::KeysOf<Options> wirings(schema, "wiring", &Options::wiring);
  wirings.add("input_feeding", &Options::input_feeding, {"luong"});
  wirings.add("readout", &Options::readout, {"bahdanau", "conditional"});
  const KeysOfTypes<Options> stacks(schema, {"transformer", "ssru", "gru", "lstm"});
  add_stack_keys(stacks);
  stacks.add("alignment_layer", &Options::alignment_layer);
  KeysOfTypes<Options>(schema, {"transformer"}).add("layer_attention", &Options::layer_attention);
  add_stack_rules(schema);
  schema.rule({"layer_attention.score", "layer_attention.scope"}, masked_attention_cannot_go_by);
  schema.rule({"positions", "type"}, recurrent_units_are_no_self_attention);
  schema.rule({"alignment_layer", "layers"}, no_such_layer);
}

void add_family_rules(config::Schema<ModelOptions>& schema) {
  schema.rule({"encoder.heads", "encoder.width", "encoder.positions", "embedding"},
              encoder_heads_must_fit);
  schema.rule({"decoder.heads", "decoder.width", "decoder.positions", "embedding"},
              decoder_heads_must_fit);
  schema.rule({"attention.heads", "decoder.width", "embedding"}, source_heads_must_fit);
  schema.rule({"embedding", "encoder.hops", "encoder.type"}, parts_of_words_are_even);
  schema.rule({"decoder.type", "encoder.type"}, two_levels_take_a_recurrent_decoder);
  schema.rule({"attention.score", "attention.scope", "encoder.type"}, two_levels_have_no_places);
  schema.rule(
      {"attention.heads", "attention.per_feature", "attention.distribution", "encoder.type"},
      two_levels_weigh_once);
  add_attention_rules(schema);
  schema.idle_rule(
      {"dropout.attention", "decoder.wiring", "encoder.type", "encoder.self_attention"},
      no_weights_to_drop);
  schema.rule({"dropout.recurrent", "encoder.type", "encoder.cell", "decoder.type", "decoder.cell"},
              no_state_to_drop);
  schema.rule({"dropout.feed_forward", "encoder.type", "decoder.type"}, no_feed_forward_to_drop);
}

}  // namespace attend::model
