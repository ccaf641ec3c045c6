#pragma once
// Makes the encoder and the decoder that options describe.
#include <memory>
#include <vector>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/options.h"

namespace attend::model {

/// Makes the encoder. It reads several sources if `options.sources.count` is above 1.
[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const ModelOptions& options);

/// Makes the decoder for encoder outputs of `shapes`. Throws ConfigError if they do not fit.
[[nodiscard]] std::shared_ptr<Decoder> make_decoder(const ModelOptions& options,
                                                    const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
