#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// What `attend average` does.
struct AverageOptions {
  /// Model folders whose best weights are averaged; with `best` or `last` one, with snapshots.
  std::vector<std::string> models;
  int64_t best = 0;              ///< this many of the snapshots that did best
  int64_t last = 0;              ///< this many of the last ones; at most one of both is above 0
  std::filesystem::path output;  ///< new
};

/// Makes a model folder with the mean of the weights, and the config and tokenizers of the first
/// model. Returns the files that were averaged. Throws ModelFileError for fewer snapshots than
/// asked for and for models of different vocabularies or of configs that do not compute the same.
std::vector<std::filesystem::path> average_models(const AverageOptions& options);

}  // namespace attend::app
