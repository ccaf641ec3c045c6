// Rules that concern several sections of `model`. Rules within a family are in its options.cpp.
#include <fmt/format.h>

#include <string>
#include <variant>

#include "config/print.h"
#include "model/options.h"

namespace attend::model {
namespace {

using nn::DistributionKind;
using nn::ScopeKind;
using nn::ScoreKind;

const RecurrentEncoderOptions* recurrent(const EncoderOptions& encoder) {
  return std::get_if<RecurrentEncoderOptions>(&encoder);
}

const RecurrentDecoderOptions* recurrent(const DecoderOptions& decoder) {
  return std::get_if<RecurrentDecoderOptions>(&decoder);
}

const TransformerEncoderOptions* transformer(const EncoderOptions& encoder) {
  return std::get_if<TransformerEncoderOptions>(&encoder);
}

bool is_hierarchical(const ModelOptions& options) {
  return std::holds_alternative<HierarchicalEncoderOptions>(options.encoder);
}

/// The problem if `heads` heads do not fit into the width of a stack, else "".
std::string heads_must_divide(int64_t heads, const TransformerOptions& stack,
                              const ModelOptions& model) {
  const int64_t width = width_of(stack, model);
  if (width % heads == 0) return "";
  return fmt::format("{} heads cannot share the width of {} evenly; choose a divisor", heads,
                     width);
}

std::string rotated_features_are_pairs(const TransformerOptions& stack, const ModelOptions& model) {
  const int64_t width = width_of(stack, model);
  if (stack.positions != nn::PositionKind::rotary || width % (2 * stack.heads) == 0) return "";
  return fmt::format(
      "rotary positions rotate pairs of features, but a head has {} features; choose another "
      "number of heads",
      width / stack.heads);
}

std::string heads_must_fit(const TransformerOptions* stack, const ModelOptions& model) {
  if (stack == nullptr) return "";
  const std::string problem = heads_must_divide(stack->heads, *stack, model);
  return problem.empty() ? rotated_features_are_pairs(*stack, model) : problem;
}

std::string encoder_heads_must_fit(const ModelOptions& options) {
  return heads_must_fit(transformer(options.encoder), options);
}

std::string decoder_heads_must_fit(const ModelOptions& options) {
  return heads_must_fit(stack_of(options.decoder), options);
}

std::string source_heads_must_fit(const ModelOptions& options) {
  const StackDecoderOptions* const stack = stack_of(options.decoder);
  return stack == nullptr ? "" : heads_must_divide(options.attention.heads, *stack, options);
}

std::string parts_of_words_are_even(const ModelOptions& options) {
  const auto* const memory = std::get_if<MemoryEncoderOptions>(&options.encoder);
  if (memory == nullptr) return "";
  const int64_t parts = word_parts(memory->hops);
  if (options.embedding % parts == 0) return "";
  return fmt::format(
      "a word's vector has {} equal parts (encoder.hops.tying: {}), but {} is not a multiple of "
      "their number; choose {}",
      parts, memory->hops.tying, options.embedding, (options.embedding / parts + 1) * parts);
}

std::string hierarchy_takes_a_recurrent_decoder(const ModelOptions& options) {
  if (!is_hierarchical(options) || recurrent(options.decoder) != nullptr) return "";
  return fmt::format(
      "encoder.type: hierarchical gives segments and words, but decoder.type: {} attends to words "
      "only; choose decoder.type: recurrent",
      type_name(options.decoder));
}

std::string hierarchy_has_no_positions(const ModelOptions& options) {
  if (!is_hierarchical(options)) return "";
  if (is_one_of(options.attention.score,
                {ScoreKind::coverage, ScoreKind::location, ScoreKind::location_aware})) {
    return fmt::format(
        "{} reads positions in a whole line or the weights of the previous step, which attention "
        "to segments and inside them (encoder.type: hierarchical) does not have; choose another "
        "score",
        options.attention.score);
  }
  if (options.attention.scope == ScopeKind::global) return "";
  return fmt::format(
      "{} reads positions in a whole line, and encoder.type: hierarchical has attention to "
      "segments "
      "and inside them; choose scope: global",
      options.attention.scope);
}

std::string hierarchy_weighs_once(const ModelOptions& options) {
  if (!is_hierarchical(options)) return "";
  const bool once = options.attention.heads == 1 && !options.attention.per_feature &&
                    options.attention.distribution != DistributionKind::hard;
  if (once) return "";
  return "attention to segments and inside them (encoder.type: hierarchical) has one weight for "
         "each word and draws none; set attention.heads: 1, per_feature: false and a distribution "
         "other than hard";
}

std::string attention_needs_a_single_reading(const ModelOptions& options) {
  const RecurrentEncoderOptions* const encoder = recurrent(options.encoder);
  const bool changed =
      encoder != nullptr && (encoder->reverse_source || encoder->repeat_source > 1);
  if (!changed || !attends(options)) return "";
  return "reverse_source and repeat_source are for decoders without attention; set "
         "decoder.wiring: none or leave them off";
}

std::string copied_memory_must_fit(const RecurrentEncoderOptions& encoder,
                                   const RecurrentDecoderOptions& decoder) {
  if (!nn::cell_has_memory(decoder.cell) || encoder.cell != decoder.cell) return "";
  if (encoder.bidirectional) {
    return "bridge: copy copies one memory, and a bidirectional encoder has two; set "
           "encoder.bidirectional: false";
  }
  if (encoder.memory == decoder.memory) return "";
  return "bridge: copy copies the encoder's memory, so encoder.memory and decoder.memory must be "
         "the same";
}

std::string copied_states_must_fit(const ModelOptions& options) {
  const RecurrentDecoderOptions* const decoder = recurrent(options.decoder);
  if (decoder == nullptr || decoder->bridge != BridgeKind::copy) return "";
  const RecurrentEncoderOptions* const encoder = recurrent(options.encoder);
  if (encoder == nullptr) {
    return "bridge: copy copies a recurrent encoder's states, and this encoder has none; choose "
           "bridge: last or mean";
  }
  const std::string memory = copied_memory_must_fit(*encoder, *decoder);
  if (!memory.empty()) return memory;
  const int64_t width = encoder->output_size();
  if (encoder->cell == decoder->cell && decoder->hidden == width &&
      decoder->layers == encoder->layers) {
    return "";
  }
  return fmt::format(
      "bridge: copy copies states, so encoder and decoder need the same cell and layers, and "
      "decoder.hidden must be {}; or choose bridge: last",
      width);
}

std::string the_source_must_be_seen(const ModelOptions& options) {
  const RecurrentDecoderOptions* const decoder = recurrent(options.decoder);
  const bool blind = decoder != nullptr && decoder->wiring == WiringKind::none &&
                     decoder->bridge == BridgeKind::zero;
  if (!blind) return "";
  return "without attention and with bridge: zero the decoder would never see the source; choose "
         "bridge: last, mean or copy, or wiring: answer";
}

std::string drawn_positions_are_not_dropped(const ModelOptions& options) {
  const bool drawn = options.attention.distribution == DistributionKind::hard;
  if (!drawn || options.dropout.attention == 0.0) return "";
  return "hard attention gives one position all the weight, which dropout.attention could remove; "
         "set dropout.attention: 0";
}

/// Stacks apply dropout to the sum of embedding and position, which differs even for equal words.
std::string masks_per_type_need_plain_embeddings(const ModelOptions& options) {
  const bool one_is_plain =
      transformer(options.encoder) == nullptr || stack_of(options.decoder) == nullptr;
  if (options.dropout.embedding_by == MaskPer::token || one_is_plain) return "";
  return "dropout.embedding_by: type is for encoders or decoders that read plain word vectors, but "
         "both of these add positions to them; leave it out";
}

std::string there_are_no_weights_to_drop(const ModelOptions& options) {
  const RecurrentEncoderOptions* const encoder = recurrent(options.encoder);
  const bool inside = transformer(options.encoder) != nullptr ||
                      (encoder != nullptr && encoder->self_attention != TopAttention::none);
  if (attends(options) || inside || options.dropout.attention == 0.0) return "";
  return fmt::format(
      "dropout.attention applies to attention weights, but with decoder.wiring: {} there are none; "
      "leave it out, or choose another wiring",
      wiring_name(options.decoder));
}

/// True if a matrix multiplies the hidden state of the model's recurrent cells.
bool has_recurrent_weights(const ModelOptions& options) {
  const auto of = []<class Family>(const Family& family) {
    if constexpr (std::is_base_of_v<RecurrentLayers, Family>) {
      return nn::cell_has_recurrent_weights(family.cell);
    } else {
      return requires {
        Family::kCell;
      };
    }
  };
  return std::visit(of, options.encoder) || std::visit(of, options.decoder);
}

std::string there_is_no_state_to_drop(const ModelOptions& options) {
  if (has_recurrent_weights(options) || options.dropout.recurrent == 0.0) return "";
  return "dropout.recurrent applies to hidden states that a recurrent layer multiplies by a "
         "matrix, but this model has none; leave it out";
}

std::string there_is_no_feed_forward_to_drop(const ModelOptions& options) {
  const bool stacked =
      transformer(options.encoder) != nullptr || stack_of(options.decoder) != nullptr;
  if (stacked || options.dropout.feed_forward == 0.0) return "";
  return "dropout.feed_forward applies inside transformer layers, but this model has none; leave "
         "it out";
}

/// Rejects settings of the attention if the decoder does not attend.
void add_attention_rules(config::Schema<ModelOptions>& schema) {
  const auto attention = config::schema_of<nn::AttentionOptions>();
  for (const auto& field : attention.fields()) {
    const auto problem = [field](const ModelOptions& options) {
      const bool asked =
          !config::same_value(field.write(options.attention), field.write(nn::AttentionOptions()));
      if (!asked || attends(options)) return std::string();
      return fmt::format(
          "attention.{} is a setting of the attention to the source and would have no effect with "
          "decoder.wiring: {}, which has none; leave it out, or choose another wiring",
          field.info.name, wiring_name(options.decoder));
    };
    schema.idle_rule({"attention." + field.info.name, "decoder.wiring"}, problem);
  }
}

}  // namespace

void add_rules(config::Schema<ModelOptions>& schema) {
  schema.rule({"encoder.reverse_source", "encoder.repeat_source", "decoder.wiring", "decoder.type"},
              attention_needs_a_single_reading);
  schema.rule({"decoder.bridge", "decoder.hidden", "decoder.layers", "decoder.memory",
               "encoder.hidden", "encoder.memory", "encoder.type"},
              copied_states_must_fit);
  schema.rule({"dropout.attention", "attention.distribution"}, drawn_positions_are_not_dropped);
  schema.rule({"dropout.embedding_by", "encoder.type", "decoder.type"},
              masks_per_type_need_plain_embeddings);
  schema.rule({"decoder.bridge", "decoder.wiring", "decoder.type"}, the_source_must_be_seen);
  schema.rule({"encoder.heads", "encoder.width", "encoder.positions", "embedding"},
              encoder_heads_must_fit);
  schema.rule({"decoder.heads", "decoder.width", "decoder.positions", "embedding"},
              decoder_heads_must_fit);
  schema.rule({"attention.heads", "decoder.width", "embedding"}, source_heads_must_fit);
  schema.rule({"embedding", "encoder.hops", "encoder.type"}, parts_of_words_are_even);
  schema.rule({"decoder.type", "encoder.type"}, hierarchy_takes_a_recurrent_decoder);
  schema.rule({"attention.score", "attention.scope", "encoder.type"}, hierarchy_has_no_positions);
  schema.rule(
      {"attention.heads", "attention.per_feature", "attention.distribution", "encoder.type"},
      hierarchy_weighs_once);
  add_attention_rules(schema);
  schema.idle_rule(
      {"dropout.attention", "decoder.wiring", "encoder.type", "encoder.self_attention"},
      there_are_no_weights_to_drop);
  schema.rule({"dropout.recurrent", "encoder.type", "encoder.cell", "decoder.type", "decoder.cell"},
              there_is_no_state_to_drop);
  schema.rule({"dropout.feed_forward", "encoder.type", "decoder.type"},
              there_is_no_feed_forward_to_drop);
}

}  // namespace attend::model
