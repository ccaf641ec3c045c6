#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"

namespace attend::app {

/// A part of a model and how many numbers it learns.
struct BlockSize {
  std::string name;  ///< "encoder", "encoder.layers"
  int64_t parameters = 0;
};

/// The weights added up by the first one and the first two parts of their dotted names, in the
/// order of the names; the second only where a block has several.
[[nodiscard]] std::vector<BlockSize> block_sizes(
    const std::map<std::string, torch::Tensor>& weights);

/// "1,234,567".
[[nodiscard]] std::string with_commas(int64_t number);
/// "12.3 kB", "45.6 MB".
[[nodiscard]] std::string with_unit(uintmax_t bytes);

/// A table of the sizes of all blocks, with their shares; an empty line first.
[[nodiscard]] std::string parameter_table(const std::map<std::string, torch::Tensor>& weights);

/// A table of the validations in train.jsonl, a line each; empty if there is no such file. Lines
/// that are not JSON objects, such as a last one that was being written, are left out. Throws
/// DataError for one whose keys are not of the types that training writes.
[[nodiscard]] std::string history_table(const std::filesystem::path& file);

/// What `attend inspect` tells of a model: its files and vocabularies, what the weights file says
/// of itself, the tables above and the whole config.
[[nodiscard]] std::string model_report(const LoadedModel& loaded);

}  // namespace attend::app
