#pragma once
#include <memory>

#include "model/options.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// Makes the wiring that the recurrent decoder's options name, for a memory of size C and its
/// groups. Throws ConfigError if sizes do not fit.
[[nodiscard]] std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size,
                                                  const nn::Grouping& grouping = {});

}  // namespace attend::model
