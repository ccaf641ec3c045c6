#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/wiring.h"

namespace attend::model {

/// Names that make_wiring() accepts.
[[nodiscard]] std::vector<std::string> wiring_names();

/// The decoder that `options.decoder.wiring` names, reading a memory of size C. Throws
/// std::out_of_range for an unknown name (the schema refuses it before) and ConfigError where sizes
/// do not fit.
[[nodiscard]] std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size);

}  // namespace attend::model
