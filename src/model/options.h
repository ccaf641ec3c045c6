#pragma once
#include <cstdint>
#include <string>

#include "config/schema.h"
#include "nn/attention/options.h"

namespace attend::model {

/// The config section `model.encoder`.
struct EncoderOptions {
  std::string type = "recurrent";
  std::string cell = "lstm";  // lstm | gru
  int64_t layers = 1;
  int64_t hidden = 256;  // per direction
  bool bidirectional = true;
  bool residual = false;  // from the second layer on
  bool layer_norm = false;
  bool reverse_source = false;  // read the source backwards (Sutskever et al. 2014)
  int64_t repeat_source = 1;    // read the source this many times over (Zaremba & Sutskever 2014)
  std::string self_attention = "none";  // none | additive | scaled_dot: over the top layer's output
  int64_t self_attention_heads = 1;
};

/// The config section `model.decoder`.
struct DecoderOptions {
  std::string type = "recurrent";
  std::string cell = "lstm";  // lstm | gru
  int64_t layers = 1;
  int64_t hidden = 512;
  std::string wiring = "luong";  // bahdanau | luong | conditional | none
  bool input_feeding = true;     // luong only
  bool residual = false;
  bool layer_norm = false;
  std::string bridge = "last";   // zero | last | mean | copy: where the first state comes from
  std::string readout = "tanh";  // tanh | maxout: before the output layer (bahdanau, conditional)
};

/// The config section `model.dropout`: probabilities.
struct DropoutOptions {
  double embedding = 0.0;  // source and target embeddings
  double layer = 0.0;      // between stacked layers and on the encoder's output
  double recurrent = 0.0;  // on the state fed back, one mask per sentence (Gal & Ghahramani 2016)
  double attention = 0.0;  // on attention weights
  double output = 0.0;     // before the output layer
};

/// The config section `model`.
struct ModelOptions {
  int64_t embedding = 256;
  std::string tie = "none";  // none | decoder | all
  EncoderOptions encoder;
  DecoderOptions decoder;
  nn::AttentionOptions attention;
  DropoutOptions dropout;
};

void describe(config::Schema<EncoderOptions>& schema);
void describe(config::Schema<DecoderOptions>& schema);
void describe(config::Schema<DropoutOptions>& schema);
void describe(config::Schema<ModelOptions>& schema);

}  // namespace attend::model
