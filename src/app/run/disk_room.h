#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "data/options.h"

namespace attend::app {

/// "950 B", "8.4 kB", "14.2 GB".
[[nodiscard]] std::string byte_count(double bytes);

/// What the token ids of a text take on the disk, judged from the size of its files: 0.65 bytes for
/// each byte of text (a piece of 2 bytes stands for some 4 of text, and a pair of 200 takes another
/// 28), of a compressed file three times that.
[[nodiscard]] double expected_token_bytes(const data::DataOptions& options);

/// `directory`, or what exists of the way to it.
[[nodiscard]] std::filesystem::path nearest_folder(std::filesystem::path directory);

/// Bytes that this process may still write in the folder of `file`, or in what exists of the way
/// to it.
[[nodiscard]] double free_bytes(const std::filesystem::path& file);

/// Throws DataError if there is not room for half of the `expected` bytes, which are an estimate.
/// `why` names the option that asks for them.
void check_room(const std::filesystem::path& file, double expected, double free,
                const std::string& why);

}  // namespace attend::app
