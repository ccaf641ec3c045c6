#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "config/schema.h"
#include "core/named_enum.h"
#include "model/families.h"
#include "nn/attention/options.h"

namespace attend::model {

/// The unit of a dropout mask: every occurrence of a piece has a mask of its own, or all
/// occurrences share one.
enum class MaskPer { token, type };

constexpr auto name_table(MaskPer) {
  return std::to_array<NamedValue<MaskPer>>({{MaskPer::token, "token"}, {MaskPer::type, "type"}});
}

/// The input that replaces a dropped word.
enum class Replacement { zero, unk };

constexpr auto name_table(Replacement) {
  return std::to_array<NamedValue<Replacement>>(
      {{Replacement::zero, "zero"}, {Replacement::unk, "unk"}});
}

/// The matrices that share their values.
enum class Tie { none, decoder, all };

constexpr auto name_table(Tie) {
  return std::to_array<NamedValue<Tie>>(
      {{Tie::none, "none"}, {Tie::decoder, "decoder"}, {Tie::all, "all"}});
}

/// How two sources attend to each other before the decoder reads them.
enum class CoattentionKind { alternating, bidirectional, dynamic, none, parallel };

constexpr auto name_table(CoattentionKind) {
  return std::to_array<NamedValue<CoattentionKind>>({
      {CoattentionKind::alternating, "alternating"},
      {CoattentionKind::bidirectional, "bidirectional"},
      {CoattentionKind::dynamic, "dynamic"},
      {CoattentionKind::none, "none"},
      {CoattentionKind::parallel, "parallel"},
  });
}

/// The config section `model.dropout.word`: whole words are dropped (Gal & Ghahramani 2016,
/// Sec. 4.2; Sennrich & Zhang 2019, Sec. 3.2).
struct WordDropoutOptions {
  double source = 0.0;
  double target = 0.0;  // in the decoder's input, not in the words to predict
  MaskPer by = MaskPer::token;
  Replacement replacement = Replacement::zero;
};

/// The config section `model.dropout`: probabilities.
struct DropoutOptions {
  double embedding = 0.0;     // source and target embeddings
  double layer = 0.0;         // between stacked layers and on the encoder's output; in transformer
                              // layers on the output of each part
  double recurrent = 0.0;     // on the hidden state, one mask per sentence (Gal & Ghahramani 2016)
  double attention = 0.0;     // on attention weights
  double output = 0.0;        // before the output layer
  double feed_forward = 0.0;  // between the two layers of a feed-forward network
  WordDropoutOptions word;
  MaskPer embedding_by = MaskPer::token;  // type: one mask for all occurrences in a batch
};

/// The config section `model.sources`, for models that read several sources.
struct SourcesOptions {
  bool share_encoder = false;  // one encoder for all
  nn::Combination combination = nn::Combination::hierarchical;
  int64_t count = 1;  // set from data.train, not by a key
  CoattentionKind coattention = CoattentionKind::none;

  bool operator==(const SourcesOptions&) const = default;
};

/// The config section `model`.
struct ModelOptions {
  int64_t embedding = 256;
  Tie tie = Tie::none;
  EncoderOptions encoder;
  DecoderOptions decoder;
  nn::AttentionOptions attention;
  SourcesOptions sources;
  DropoutOptions dropout;
};

/// The names of the families: the values of the config keys encoder.type and decoder.type.
[[nodiscard]] std::string type_name(const EncoderOptions& encoder);
[[nodiscard]] std::string type_name(const DecoderOptions& decoder);

/// The options of a recurrent decoder. Throws std::bad_variant_access for another decoder.
[[nodiscard]] const RecurrentDecoderOptions& recurrent_decoder(const ModelOptions& options);

/// The options if the decoder is a stack of transformer layers, else null.
[[nodiscard]] const StackDecoderOptions* stack_of(const DecoderOptions& decoder);

/// Returns true if the decoder attends to the source.
[[nodiscard]] bool attends(const ModelOptions& options);

/// Name for messages: the wiring of a recurrent decoder, or the type of another decoder.
[[nodiscard]] std::string wiring_name(const DecoderOptions& decoder);

/// The width of a stack of transformer layers: its own, or else model.embedding.
[[nodiscard]] int64_t width_of(const TransformerOptions& stack, const ModelOptions& model);

void describe(config::Schema<SourcesOptions>& schema);
void describe(config::Schema<WordDropoutOptions>& schema);
void describe(config::Schema<DropoutOptions>& schema);
void describe(config::Schema<ModelOptions>& schema);

/// Adds the rules that concern several sections of `model`.
void add_rules(config::Schema<ModelOptions>& schema);

}  // namespace attend::model
