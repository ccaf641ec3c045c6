#include "model/recurrent/options.h"

#include "config/keys_of.h"
#include "model/recurrent/layer_keys.h"

namespace attend::model {
namespace {

std::string self_attention_heads_must_fit(const RecurrentEncoderOptions& options) {
  const int64_t heads = options.self_attention_heads;
  if (heads == 1) return "";
  if (options.self_attention == TopAttention::none)
    return "the encoder has no self-attention to have heads; choose self_attention: additive or "
           "scaled_dot";
  const int64_t size = options.output_size();
  if (size % heads == 0) return "";
  return fmt::format(
      "{} heads cannot share the {} features of the encoder evenly; choose a divisor", heads, size);
}

}  // namespace

void describe(config::Schema<RecurrentEncoderOptions>& schema) {
  using Options = RecurrentEncoderOptions;
  describe_reading_layers(schema);
  schema.flag("reverse_source", &Options::reverse_source,
              "Read the source backwards (Sutskever et al. 2014); without attention only.");
  schema.integer(
      "repeat_source", &Options::repeat_source, config::in_range<int64_t>(1, 4),
      "Read the source this many times (Zaremba & Sutskever 2014); without attention only.");
  schema.choice("self_attention", &Options::self_attention,
                "Self-attention of the source positions above the recurrent layers (Cheng et al. "
                "2016, Lin et al. 2017), with a residual connection and layer normalisation.");
  schema.integer("self_attention_heads", &Options::self_attention_heads,
                 config::in_range<int64_t>(1, 1024), "Heads of the self-attention.");
  schema.rule({"self_attention_heads", "self_attention", "hidden", "bidirectional"},
              self_attention_heads_must_fit);
}

void describe(config::Schema<RecurrentDecoderOptions>& schema) {
  using Options = RecurrentDecoderOptions;
  describe_layers(schema, "State size.");
  schema.choice("wiring", &Options::wiring,
                "Where attention sits in the decoder:" + enum_meanings<WiringKind>());
  schema.flag("input_feeding", &Options::input_feeding,
              "luong: add the attentional state to the next step's input.");
  schema.choice("bridge", &Options::bridge,
                "The first state: zeros, a layer over the encoder's last states or over its mean "
                "output, or a copy of the last states, with the cell's memory.");
  schema.choice("readout", &Options::readout,
                "bahdanau, conditional: the layer that joins state, word and context before the "
                "output layer.");
  const config::KeysOf wirings(schema, "wiring", &Options::wiring);
  wirings.add("input_feeding", &Options::input_feeding, {WiringKind::luong});
  wirings.add("readout", &Options::readout, {WiringKind::bahdanau, WiringKind::conditional});
}

}  // namespace attend::model
