#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::nn {

/// Names that make_cell() accepts.
[[nodiscard]] std::vector<std::string> cell_names();

/// Whether states of this cell have a memory, of the size that a section `memory` gives. Throws
/// std::out_of_range for an unknown name.
[[nodiscard]] bool cell_has_memory(const std::string& name);

/// Whether a matrix multiplies this cell's hidden state, which is what recurrent dropout is for.
/// Throws std::out_of_range for an unknown name.
[[nodiscard]] bool cell_has_recurrent_weights(const std::string& name);

}  // namespace attend::nn
