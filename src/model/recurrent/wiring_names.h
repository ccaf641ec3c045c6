#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::model {

/// Names that make_wiring() accepts.
[[nodiscard]] std::vector<std::string> wiring_names();

}  // namespace attend::model
