#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"
#include "nn/attention/names.h"
#include "nn/rnn/names.h"

namespace attend::model {

class Decoder;
class Encoder;
struct EncoderShape;
struct ModelOptions;

/// The position of layer normalisation in a layer.
enum class NormPlace { post, pre };

constexpr auto name_table(NormPlace) {
  return std::to_array<NamedValue<NormPlace>>({{NormPlace::post, "post"}, {NormPlace::pre, "pre"}});
}

/// The activation inside feed-forward networks.
enum class Activation { geglu, gelu, relu, swiglu };

constexpr auto name_table(Activation) {
  return std::to_array<NamedValue<Activation>>({{Activation::geglu, "geglu"},
                                                {Activation::gelu, "gelu"},
                                                {Activation::relu, "relu"},
                                                {Activation::swiglu, "swiglu"}});
}

/// The config sections `model.encoder.layer_attention` and `model.decoder.layer_attention`: the
/// self-attention of the layers.
struct LayerAttentionOptions {
  nn::ScoreKind score = nn::ScoreKind::scaled_dot;
  nn::DistributionKind distribution = nn::DistributionKind::softmax;
  nn::ScopeKind scope = nn::ScopeKind::global;
  int64_t window = 10;        // local_m, local_p: positions to each side of the centre
  int64_t max_distance = 16;  // position_bias, relative positions: larger distances count as this

  bool operator==(const LayerAttentionOptions&) const = default;
};

/// A stack of transformer layers.
struct TransformerOptions {
  int64_t layers = 1;
  int64_t width = 0;         // size of the vectors between layers; 0: model.embedding
  int64_t feed_forward = 0;  // inner size; 0: four times the width
  int64_t heads = 8;
  NormPlace norm = NormPlace::pre;
  nn::PositionKind positions = nn::PositionKind::sinusoidal;
  int64_t max_positions = 512;  // learned
  Activation activation = Activation::relu;
  double layer_drop = 0.0;  // probability of skipping a layer in training
};

/// The config section `model.encoder` of type transformer.
struct TransformerEncoderOptions : TransformerOptions {
  static constexpr std::string_view kType = "transformer";

  LayerAttentionOptions layer_attention;
};

/// The config keys that all decoders made of transformer layers have in common.
struct StackDecoderOptions : TransformerOptions {
  int64_t alignment_layer = 0;  // the layer whose attention is shown, from 1; 0: the last

  [[nodiscard]] static constexpr bool attends() { return true; }
};

/// The config section `model.decoder` of type transformer.
struct TransformerDecoderOptions : StackDecoderOptions {
  static constexpr std::string_view kType = "transformer";

  LayerAttentionOptions layer_attention;
};

/// The types ssru, gru and lstm, in which a recurrent unit replaces the self-attention.
struct SsruDecoderOptions : StackDecoderOptions {
  static constexpr std::string_view kType = "ssru";
};
struct GruDecoderOptions : StackDecoderOptions {
  static constexpr std::string_view kType = "gru";
  static constexpr nn::CellKind kCell = nn::CellKind::gru;
};
struct LstmDecoderOptions : StackDecoderOptions {
  static constexpr std::string_view kType = "lstm";
  static constexpr nn::CellKind kCell = nn::CellKind::lstm;
};

void describe(config::Schema<LayerAttentionOptions>& schema);
void describe(config::Schema<TransformerEncoderOptions>& schema);
void describe(config::Schema<TransformerDecoderOptions>& schema);
void describe(config::Schema<SsruDecoderOptions>& schema);
void describe(config::Schema<GruDecoderOptions>& schema);
void describe(config::Schema<LstmDecoderOptions>& schema);

[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const TransformerEncoderOptions& encoder,
                                                    const ModelOptions& model);
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const TransformerDecoderOptions& decoder,
                                                    const ModelOptions& model,
                                                    const std::vector<EncoderShape>& shapes);
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const SsruDecoderOptions& decoder,
                                                    const ModelOptions& model,
                                                    const std::vector<EncoderShape>& shapes);
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const GruDecoderOptions& decoder,
                                                    const ModelOptions& model,
                                                    const std::vector<EncoderShape>& shapes);
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const LstmDecoderOptions& decoder,
                                                    const ModelOptions& model,
                                                    const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
