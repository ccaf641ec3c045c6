#pragma once
// The part of the losses that the config schema needs, without LibTorch.
#include <string>
#include <vector>

namespace attend::train {

/// Names that alignment_loss() accepts.
[[nodiscard]] std::vector<std::string> alignment_loss_names();

}  // namespace attend::train
