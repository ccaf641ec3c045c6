#pragma once
#include <cstdint>
#include <string>

#include "config/schema.h"
#include "nn/attention/options.h"
#include "nn/rnn/memory_options.h"
#include "text/vocabulary.h"

namespace attend::model {

/// The sections `model.encoder.layer_attention` and `model.decoder.layer_attention`: how the
/// positions of a transformer layer look at one another.
struct LayerAttentionOptions {
  std::string score = "scaled_dot";
  std::string distribution = "softmax";
  std::string scope = "global";
  int64_t window = 10;        // local_m, local_p: positions to each side of the centre
  int64_t max_distance = 16;  // position_bias, relative positions: distances beyond are one

  bool operator==(const LayerAttentionOptions&) const = default;
};

/// What stacks of transformer layers are made of: keys of both sections below. Those that a type
/// does not read are refused (family_rules.h).
struct TransformerOptions {
  int64_t width = 0;         // of the vectors that go through; 0: model.embedding
  int64_t feed_forward = 0;  // inner size; 0: four times the width
  int64_t heads = 8;
  std::string norm = "pre";              // pre | post
  std::string positions = "sinusoidal";  // none | sinusoidal | learned | rotary | relative
  int64_t max_positions = 512;           // learned
  std::string activation = "relu";       // relu | gelu | geglu | swiglu
  double layer_drop = 0.0;               // probability of leaving a layer out in training
  LayerAttentionOptions layer_attention;
};

/// The section `model.encoder.hops`: of type memory, an end-to-end memory network.
struct HopOptions {
  int64_t count = 3;
  std::string tying = "adjacent";   // adjacent | layer_wise: which hops share vectors
  std::string words = "position";   // position | bag: how a fact's words make its vector
  int64_t slots = 50;               // facts that are seen, the last ones
  double empty_slots = 0.1;         // share of empty slots among them, in training
  std::string weights = "softmax";  // softmax | linear

  bool operator==(const HopOptions&) const = default;
};

/// The config section `model.encoder`.
struct EncoderOptions : TransformerOptions {
  std::string type = "recurrent";
  std::string cell = "lstm";  // lstm | gru | mingru | ntm | dnc
  nn::MemoryOptions memory;   // ntm, dnc
  int64_t layers = 1;
  int64_t hidden = 256;  // per direction
  bool bidirectional = true;
  bool residual = false;  // from the second layer on
  bool layer_norm = false;
  bool reverse_source = false;  // read the source backwards (Sutskever et al. 2014)
  int64_t repeat_source = 1;    // read the source this many times over (Zaremba & Sutskever 2014)
  std::string self_attention = "none";  // none | additive | scaled_dot: over the top layer's output
  int64_t self_attention_heads = 1;
  HopOptions hops;  // memory
  // hierarchical, memory: the piece between segments, and one that is but a blank (negative: none);
  // no keys, see data.segments.
  text::TokenId separator = -1;
  text::TokenId blank = -1;
};

/// The config section `model.decoder`.
struct DecoderOptions : TransformerOptions {
  std::string type = "recurrent";
  std::string cell = "lstm";  // lstm | gru | mingru | ntm | dnc
  nn::MemoryOptions memory;   // ntm, dnc
  int64_t layers = 1;
  int64_t hidden = 512;
  std::string wiring = "luong";  // bahdanau | luong | conditional | answer | none
  bool input_feeding = true;     // luong only
  bool residual = false;
  bool layer_norm = false;
  std::string bridge = "last";   // zero | last | mean | copy: where the first state comes from
  std::string readout = "tanh";  // tanh | maxout: before the output layer (bahdanau, conditional)
  int64_t alignment_layer = 0;   // all but recurrent: whose attention is shown; 0: the last
};

/// The config section `model.dropout.word`: whole words that are left out (Gal & Ghahramani 2016,
/// Sec. 4.2; Sennrich & Zhang 2019, Sec. 3.2).
struct WordDropoutOptions {
  double source = 0.0;
  double target = 0.0;               // of what the decoder reads, not of what it is to predict
  std::string by = "token";          // token | type: all occurrences of a word in its sentence
  std::string replacement = "zero";  // zero | unk
};

/// The config section `model.dropout`: probabilities.
struct DropoutOptions {
  double embedding = 0.0;  // source and target embeddings
  double layer = 0.0;      // between stacked layers and on the encoder's output; in transformer
                           // layers on what each part adds
  double recurrent = 0.0;  // on the state fed back, one mask per sentence (Gal & Ghahramani 2016)
  double attention = 0.0;  // on attention weights
  double output = 0.0;     // before the output layer
  double feed_forward = 0.0;  // between the two layers of a feed-forward network
  WordDropoutOptions word;
  std::string embedding_by = "token";  // token | type: one mask for all occurrences in a batch
};

/// The section `model.sources`: of models that read several.
struct SourcesOptions {
  bool share_encoder = false;                // one encoder for all
  std::string combination = "hierarchical";  // flat | concat | gate | hierarchical
  int64_t count = 1;                         // no key, see data.train
  std::string coattention = "none";  // none | alternating | bidirectional | dynamic | parallel

  bool operator==(const SourcesOptions&) const = default;
};

/// The config section `model`.
struct ModelOptions {
  int64_t embedding = 256;
  std::string tie = "none";  // none | decoder | all
  EncoderOptions encoder;
  DecoderOptions decoder;
  nn::AttentionOptions attention;
  SourcesOptions sources;
  DropoutOptions dropout;
};

/// The width of a stack of transformer layers, which is one of `model`'s two.
[[nodiscard]] int64_t width_of(const TransformerOptions& stack, const ModelOptions& model);

/// How many parts the vector of a word has for an encoder of type memory, of one size.
[[nodiscard]] int64_t word_parts(const HopOptions& options);

void describe(config::Schema<LayerAttentionOptions>& schema);
void describe(config::Schema<HopOptions>& schema);
void describe(config::Schema<EncoderOptions>& schema);
void describe(config::Schema<DecoderOptions>& schema);
void describe(config::Schema<SourcesOptions>& schema);
void describe(config::Schema<WordDropoutOptions>& schema);
void describe(config::Schema<DropoutOptions>& schema);
void describe(config::Schema<ModelOptions>& schema);

}  // namespace attend::model
