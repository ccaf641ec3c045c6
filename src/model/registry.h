#pragma once
// Every kind of encoder and decoder by the name that configs use.
#include <memory>
#include <vector>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/family_names.h"
#include "model/options.h"

namespace attend::model {

/// The encoder that `options.encoder.type` names. Throws std::out_of_range for an unknown name (the
/// schema refuses it before).
[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const ModelOptions& options);

/// The decoder that `options.decoder.type` names, for sources of `shapes`. Throws std::out_of_range
/// as above, and ConfigError where encoder and decoder do not fit together.
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const ModelOptions& options,
                                                    const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
