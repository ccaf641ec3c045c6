#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "data/options.h"
#include "train/options.h"

namespace attend::app {

/// Estimates the bytes of a text's token ids from the sizes of its files: 0.65 bytes per byte of
/// text, and three times that for a compressed file. A piece takes 2 bytes and stands for about 4
/// bytes of text; each pair, about 200 bytes of text, takes another 28 bytes.
[[nodiscard]] double expected_token_bytes(const data::DataOptions& options);

/// The most bytes that the files of a run take at a time: best and last weights, both states,
/// snapshots, and a new state before it replaces an old one. `weights`: bytes of the parameters.
[[nodiscard]] double expected_run_bytes(const train::TrainingOptions& options, double weights);

/// `directory`, or its nearest parent that exists.
[[nodiscard]] std::filesystem::path nearest_folder(std::filesystem::path directory);

/// Free bytes for this process in the folder of `file`, or in its nearest parent that exists.
[[nodiscard]] double free_bytes(const std::filesystem::path& file);

/// Throws DataError if `free` is less than half of `expected`, which is an estimate (both in
/// bytes). `why`: the option that needs the space.
void check_room(const std::filesystem::path& file, double expected, double free,
                const std::string& why);

/// Throws DataError if `free` is less than the `expected` bytes of a run in `directory`.
void check_room_for_run(const std::filesystem::path& directory, double expected, double free);

}  // namespace attend::app
