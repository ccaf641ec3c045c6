#pragma once
#include <memory>

#include "model/options.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// The wiring that `options.decoder.wiring` names, reading a memory of size C and its groups.
/// Throws std::out_of_range for an unknown name (the schema refuses it before) and ConfigError
/// where sizes do not fit.
[[nodiscard]] std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size,
                                                  const nn::Grouping& grouping = {});

}  // namespace attend::model
