#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace attend::app {

/// Merges the outputs of all shards of a text (ResumableOutput, in any order) in the order of the
/// input and returns the number of input lines. Throws DataError if a shard is missing or given
/// twice, if shards differ in input, models or options, or if a file was changed. `output` appears
/// only when it is complete. Requires: at least one shard.
int64_t merge_shards(const std::vector<std::filesystem::path>& shards,
                     const std::filesystem::path& output);

}  // namespace attend::app
