#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "data/options.h"

namespace attend::app {

/// "950 B", "8.4 kB", "14.2 GB".
[[nodiscard]] std::string byte_count(double bytes);

/// Estimated size of a text's token ids, from the size of its files: 0.65 bytes per byte of text (a
/// piece takes 2 bytes and stands for about 4 of text, and a pair of 200 takes another 28), three
/// times that for a compressed file.
[[nodiscard]] double expected_token_bytes(const data::DataOptions& options);

/// `directory`, or its nearest parent that exists.
[[nodiscard]] std::filesystem::path nearest_folder(std::filesystem::path directory);

/// Free bytes for this process in the folder of `file`, or in its nearest parent that exists.
[[nodiscard]] double free_bytes(const std::filesystem::path& file);

/// Throws DataError if `free` is less than half of the `expected` bytes, which are an estimate.
/// `why`: the option that needs them.
void check_room(const std::filesystem::path& file, double expected, double free,
                const std::string& why);

}  // namespace attend::app
