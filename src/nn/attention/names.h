#pragma once
// What the config schema must know of the registry, without LibTorch.
#include <string>
#include <vector>

namespace attend::nn {

/// Names that the functions of registry.h accept, in alphabetical order.
[[nodiscard]] std::vector<std::string> score_names();
[[nodiscard]] std::vector<std::string> distribution_names();
[[nodiscard]] std::vector<std::string> scope_names();

/// Names of the scores that can give a weight per position and feature.
[[nodiscard]] std::vector<std::string> per_feature_score_names();

/// A line "name: meaning" for each name, each with a line break before it.
[[nodiscard]] std::string score_meanings();
[[nodiscard]] std::string distribution_meanings();
[[nodiscard]] std::string scope_meanings();

}  // namespace attend::nn
