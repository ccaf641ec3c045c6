#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"

namespace attend::app {

/// A part of a model and its number of parameters.
struct BlockSize {
  std::string name;  ///< "encoder", "encoder.layers"
  int64_t parameters = 0;
};

/// Counts parameters by the first part of their dotted names and, in blocks with several second
/// parts, also by the first two parts. Sorted by name.
[[nodiscard]] std::vector<BlockSize> block_sizes(
    const std::map<std::string, torch::Tensor>& weights);

/// "1,234,567".
[[nodiscard]] std::string with_commas(int64_t number);

/// A table of the block sizes with their shares, after an empty line.
[[nodiscard]] std::string parameter_table(const std::map<std::string, torch::Tensor>& weights);

/// A table of the validations in train.jsonl; empty if there is no such file. Skips lines that are
/// not JSON objects, such as an unfinished last line. Throws DataError for a line whose keys have
/// other types than training writes.
[[nodiscard]] std::string history_table(const std::filesystem::path& file);

/// The report of `attend inspect`: files, vocabularies, metadata of the weights file,
/// parameter_table(), history_table() and the whole config.
[[nodiscard]] std::string model_report(const LoadedModel& loaded);

}  // namespace attend::app
