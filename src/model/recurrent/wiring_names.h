#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::model {

/// Names that make_wiring() accepts.
[[nodiscard]] std::vector<std::string> wiring_names();

/// A line "  name: meaning" for each, with a line feed before it, for the description of the key.
[[nodiscard]] std::string wiring_meanings();

/// Whether the wiring of this name has attention. Throws std::out_of_range for an unknown one.
[[nodiscard]] bool wiring_attends(const std::string& name);

}  // namespace attend::model
