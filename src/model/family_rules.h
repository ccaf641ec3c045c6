#pragma once
// Which keys belong to which kind of encoder and decoder, and what must fit together.
#include "config/schema.h"
#include "model/options.h"

namespace attend::model {

/// Scores and distributions that positions cannot look at one another by, and keys that the chosen
/// scope does not read.
void add_layer_attention_rules(config::Schema<LayerAttentionOptions>& schema);
/// A key that is not the chosen type's or wiring's may not be set to anything but its default.
void add_encoder_rules(config::Schema<EncoderOptions>& schema);
void add_decoder_rules(config::Schema<DecoderOptions>& schema);
/// Sizes that heads share, and attention and dropout that there would not be.
void add_family_rules(config::Schema<ModelOptions>& schema);

}  // namespace attend::model
