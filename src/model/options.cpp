#include "model/options.h"

#include "model/family_names.h"
#include "model/recurrent/wiring_names.h"
#include "nn/rnn/names.h"

namespace attend::model {
namespace {

std::string self_attention_heads_must_fit(const EncoderOptions& options) {
  const int64_t heads = options.self_attention_heads;
  if (heads == 1) return "";
  if (options.self_attention == "none") {
    return "there are heads without an attention; choose self_attention: additive or scaled_dot";
  }
  const int64_t size = options.hidden * (options.bidirectional ? 2 : 1);
  if (size % heads == 0) return "";
  return std::to_string(heads) + " heads cannot share the " + std::to_string(size) +
         " features of the encoder evenly; choose a divisor";
}

std::string attention_needs_single_reading(const ModelOptions& options) {
  const bool changed = options.encoder.reverse_source || options.encoder.repeat_source > 1;
  if (!changed || !attends(options)) return "";
  return "reverse_source and repeat_source are remedies for decoders without attention; "
         "set decoder.wiring: none or leave them off";
}

std::string copied_states_must_fit(const ModelOptions& options) {
  if (options.decoder.bridge != "copy") return "";
  const int64_t width = options.encoder.hidden * (options.encoder.bidirectional ? 2 : 1);
  if (options.encoder.cell == options.decoder.cell && options.decoder.hidden == width &&
      options.decoder.layers == options.encoder.layers) {
    return "";
  }
  return "bridge: copy hands states over as they are, so encoder and decoder need the same cell "
         "and layers, and decoder.hidden must be " +
         std::to_string(width) + "; or choose bridge: last";
}

std::string one_position_cannot_be_dropped(const ModelOptions& options) {
  if (options.attention.distribution != "hard" || options.dropout.attention == 0.0) return "";
  return "hard gives one position all the weight, and dropout.attention would take it away; set "
         "dropout.attention: 0";
}

std::string none_has_no_readout_state(const ModelOptions& options) {
  if (attends(options) || options.decoder.bridge != "zero") return "";
  return "without attention and with bridge: zero the decoder would never see the source; "
         "choose bridge: last, mean or copy";
}

}  // namespace

void describe(config::Schema<EncoderOptions>& schema) {
  using Options = EncoderOptions;
  schema.choice("type", &Options::type, encoder_names(), "Kind of encoder.");
  schema.choice("cell", &Options::cell, nn::cell_names(), "Recurrent cell.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 16), "Stacked layers.");
  schema.integer("hidden", &Options::hidden, config::in_range<int64_t>(1, 65536),
                 "State size per direction.");
  schema.flag("bidirectional", &Options::bidirectional, "Read every layer in both directions.");
  schema.flag("residual", &Options::residual,
              "Add each layer's input to its output, from the second layer on.");
  schema.flag("layer_norm", &Options::layer_norm, "Layer normalisation inside the cells.");
  schema.flag("reverse_source", &Options::reverse_source,
              "Read the source backwards (Sutskever et al. 2014); wiring none only.");
  schema.integer(
      "repeat_source", &Options::repeat_source, config::in_range<int64_t>(1, 4),
      "Read the source this many times over (Zaremba & Sutskever 2014); wiring none only.");
  schema.choice("self_attention", &Options::self_attention, {"none", "additive", "scaled_dot"},
                "How each source position attends to all of them above the recurrent layers "
                "(Cheng et al. 2016, Lin et al. 2017), with a residual connection and layer "
                "normalisation.");
  schema.integer("self_attention_heads", &Options::self_attention_heads,
                 config::in_range<int64_t>(1, 1024), "Heads of the self-attention.");
  schema.rule({"self_attention_heads", "self_attention", "hidden", "bidirectional"},
              self_attention_heads_must_fit);
}

void describe(config::Schema<DecoderOptions>& schema) {
  using Options = DecoderOptions;
  schema.choice("type", &Options::type, decoder_names(), "Kind of decoder.");
  schema.choice("cell", &Options::cell, nn::cell_names(), "Recurrent cell.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 16), "Stacked layers.");
  schema.integer("hidden", &Options::hidden, config::in_range<int64_t>(1, 65536), "State size.");
  schema.choice("wiring", &Options::wiring, wiring_names(), "Where attention sits in the decoder.");
  schema.flag("input_feeding", &Options::input_feeding,
              "luong: the attentional state joins the next step's input.");
  schema.flag("residual", &Options::residual,
              "Add each layer's input to its output, from the second layer on.");
  schema.flag("layer_norm", &Options::layer_norm, "Layer normalisation inside the cells.");
  schema.choice("bridge", &Options::bridge, {"zero", "last", "mean", "copy"},
                "The first state: zeros, a layer over the encoder's last states or over its mean "
                "output, or the last states as they are.");
  schema.choice(
      "readout", &Options::readout, {"tanh", "maxout"},
      "bahdanau and conditional: what joins state, word and context before the output layer.");
}

void describe(config::Schema<DropoutOptions>& schema) {
  using Options = DropoutOptions;
  const auto probability = config::in_range(0.0, 0.95);
  schema.number("embedding", &Options::embedding, probability, "On source and target embeddings.");
  schema.number("layer", &Options::layer, probability,
                "Between stacked layers and on the encoder's output.");
  schema.number("recurrent", &Options::recurrent, probability,
                "On the state fed back, one mask per sentence (Gal & Ghahramani 2016).");
  schema.number("attention", &Options::attention, probability, "On attention weights.");
  schema.number("output", &Options::output, probability, "Before the output layer.");
}

void describe(config::Schema<ModelOptions>& schema) {
  using Options = ModelOptions;
  schema.integer("embedding", &Options::embedding, config::in_range<int64_t>(1, 65536),
                 "Size of word vectors.");
  schema.choice(
      "tie", &Options::tie, {"none", "decoder", "all"},
      "Shared matrices: none; decoder: target embedding and output layer; all: the source "
      "embedding too (needs tokenizer.joint).");
  schema.section("encoder", &Options::encoder, "Reads the source.");
  schema.section("decoder", &Options::decoder, "Writes the target.");
  schema.section("attention", &Options::attention, "How the decoder looks at the source.");
  schema.section("dropout", &Options::dropout, "Probabilities of zeroing, in training only.");
  schema.rule({"encoder.reverse_source", "encoder.repeat_source", "decoder.wiring", "decoder.type"},
              attention_needs_single_reading);
  schema.rule({"decoder.bridge", "decoder.hidden", "decoder.layers", "encoder.hidden"},
              copied_states_must_fit);
  schema.rule({"dropout.attention", "attention.distribution"}, one_position_cannot_be_dropped);
  schema.rule({"decoder.bridge", "decoder.wiring", "decoder.type"}, none_has_no_readout_state);
}

}  // namespace attend::model
