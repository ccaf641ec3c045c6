#pragma once
#include <vector>

#include "model/encoder.h"
#include "model/options.h"

namespace attend::model {

/// The shape that a decoder which reads one memory was given. Throws ConfigError if the encoder
/// gives several.
[[nodiscard]] const EncoderShape& single_shape(const ModelOptions& options,
                                               const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
