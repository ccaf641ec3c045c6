#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::nn {

/// Names that make_cell() accepts.
[[nodiscard]] std::vector<std::string> cell_names();

}  // namespace attend::nn
