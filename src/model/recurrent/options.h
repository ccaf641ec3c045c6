#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"
#include "nn/rnn/memory_options.h"
#include "nn/rnn/names.h"

namespace attend::model {

class Decoder;
class Encoder;
struct EncoderShape;
struct ModelOptions;

/// Self-attention above the layers of a recurrent encoder.
enum class TopAttention { none, additive, scaled_dot };

constexpr auto name_table(TopAttention) {
  return std::to_array<NamedValue<TopAttention>>({{TopAttention::none, "none"},
                                                  {TopAttention::additive, "additive"},
                                                  {TopAttention::scaled_dot, "scaled_dot"}});
}

/// Where attention sits in a recurrent decoder. To add a wiring, add a file pair, a value with its
/// name here, and a line in wiring_registry.cpp.
enum class WiringKind { answer, bahdanau, conditional, luong, none };

constexpr auto name_table(WiringKind) {
  return std::to_array<NamedValue<WiringKind>>({
      {WiringKind::answer, "answer",
       "no attention: the encoder's output at the end of the source, times a matrix, is added to "
       "every output, as in a memory network (Sukhbaatar et al. 2015)"},
      {WiringKind::bahdanau, "bahdanau",
       "before the cell, with the previous state as the query; the cell reads the context "
       "(Bahdanau et al. 2015)"},
      {WiringKind::conditional, "conditional",
       "between two cells of a step, with the state of the first as the query (Sennrich et al. "
       "2017)"},
      {WiringKind::luong, "luong",
       "after the cell, with its state as the query; tanh(W [context; state]) goes to the output "
       "(Luong et al. 2015)"},
      {WiringKind::none, "none",
       "no attention: the decoder sees the source through its first state only (Sutskever et al. "
       "2014)"},
  });
}

/// Returns true if the wiring has attention.
[[nodiscard]] constexpr bool wiring_attends(WiringKind wiring) {
  return !is_one_of(wiring, {WiringKind::answer, WiringKind::none});
}

/// The source of a recurrent decoder's first state; see Bridge.
enum class BridgeKind { zero, last, mean, copy };

constexpr auto name_table(BridgeKind) {
  return std::to_array<NamedValue<BridgeKind>>({{BridgeKind::zero, "zero"},
                                                {BridgeKind::last, "last"},
                                                {BridgeKind::mean, "mean"},
                                                {BridgeKind::copy, "copy"}});
}

/// The layer between a recurrent decoder and the output layer (wirings bahdanau, conditional).
enum class ReadoutKind { tanh, maxout };

constexpr auto name_table(ReadoutKind) {
  return std::to_array<NamedValue<ReadoutKind>>(
      {{ReadoutKind::tanh, "tanh"}, {ReadoutKind::maxout, "maxout"}});
}

/// Stacked recurrent layers.
struct RecurrentLayers {
  nn::CellKind cell = nn::CellKind::lstm;
  nn::MemoryOptions memory;  // ntm, dnc
  int64_t layers = 1;
  int64_t hidden = 256;   // per direction
  bool residual = false;  // from the second layer on
  bool layer_norm = false;
};

/// Recurrent layers that read a whole sequence.
struct ReadingLayers : RecurrentLayers {
  bool bidirectional = true;

  /// The size of the outputs: hidden times directions.
  [[nodiscard]] int64_t output_size() const { return hidden * (bidirectional ? 2 : 1); }
};

/// The config section `model.encoder` of type recurrent.
struct RecurrentEncoderOptions : ReadingLayers {
  static constexpr std::string_view kType = "recurrent";

  bool reverse_source = false;  // read the source backwards (Sutskever et al. 2014)
  int64_t repeat_source = 1;    // read the source this many times (Zaremba & Sutskever 2014)
  TopAttention self_attention = TopAttention::none;
  int64_t self_attention_heads = 1;
};

/// The config section `model.decoder` of type recurrent.
struct RecurrentDecoderOptions : RecurrentLayers {
  static constexpr std::string_view kType = "recurrent";

  RecurrentDecoderOptions() { hidden = 512; }

  WiringKind wiring = WiringKind::luong;
  bool input_feeding = true;  // luong
  BridgeKind bridge = BridgeKind::last;
  ReadoutKind readout = ReadoutKind::tanh;  // bahdanau, conditional

  [[nodiscard]] bool attends() const { return wiring_attends(wiring); }
};

void describe(config::Schema<RecurrentEncoderOptions>& schema);
void describe(config::Schema<RecurrentDecoderOptions>& schema);

[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const RecurrentEncoderOptions& encoder,
                                                    const ModelOptions& model);
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const RecurrentDecoderOptions& decoder,
                                                    const ModelOptions& model,
                                                    const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
