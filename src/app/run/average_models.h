#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// A request to average weights.
struct AverageOptions {
  /// Folders whose best weights are averaged; with `best` or `last`, one folder with snapshots.
  std::vector<std::string> models;
  int64_t best = 0;              ///< average this many of the best snapshots
  int64_t last = 0;              ///< average this many of the last snapshots, if `best` is 0
  std::filesystem::path output;  ///< a new model folder
};

/// Writes a model folder with the mean of the weights and the config and tokenizers of the first
/// model. Returns the averaged files. Throws ModelFileError for too few snapshots, and for models
/// that differ in vocabulary or in config keys that change what the weights compute.
std::vector<std::filesystem::path> average_models(const AverageOptions& options);

}  // namespace attend::app
