#include "model/single_source.h"

#include <fmt/format.h>

#include "core/error.h"

namespace attend::model {

const EncoderShape& single_shape(const ModelOptions& options,
                                 const std::vector<EncoderShape>& shapes) {
  if (shapes.size() == 1) return shapes.front();
  throw ConfigError(
      fmt::format("model.decoder.type: {} reads one memory, but the encoder (model.encoder.type: "
                  "{}) gives {}; choose another decoder or encoder",
                  type_name(options.decoder), type_name(options.encoder), shapes.size()));
}

}  // namespace attend::model
