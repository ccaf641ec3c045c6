#pragma once
#include <vector>

#include "model/encoder.h"
#include "model/options.h"

namespace attend::model {

/// The only shape, for decoders that read one memory. Throws ConfigError if there are several.
[[nodiscard]] const EncoderShape& single_shape(const ModelOptions& options,
                                               const std::vector<EncoderShape>& shapes);

}  // namespace attend::model
