#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace attend::app {

/// Puts the outputs of all shards of a text (ResumableOutput, in any order) together, block by
/// block in the order of the input, and returns how many lines the input had. Throws DataError if
/// one is missing or there twice, if they are of different inputs, models or options, or if a file
/// is not as it was written. `output` appears when all of it is there.
int64_t merge_shards(const std::vector<std::filesystem::path>& shards,
                     const std::filesystem::path& output);

}  // namespace attend::app
