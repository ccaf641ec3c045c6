#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "train/options.h"
#include "train/run_state.h"

namespace attend::train {

/// The weights after a validation, kept as update-N.safetensors in the model folder.
struct Snapshot {
  std::filesystem::path file;
  int64_t update = 0;
  Merit merit;  // of the validation
};

[[nodiscard]] std::filesystem::path snapshot_path(const std::filesystem::path& folder,
                                                  int64_t update);

/// True if the file has the name of a snapshot.
[[nodiscard]] bool is_snapshot(const std::filesystem::path& file);

/// All snapshots in `folder`, oldest first. Throws ModelFileError if the header of one is damaged
/// or has no score.
[[nodiscard]] std::vector<Snapshot> list_snapshots(const std::filesystem::path& folder);

/// Like list_snapshots(), but skips files without a readable score, with a warning. Throws
/// ModelFileError if the folder cannot be read.
[[nodiscard]] std::vector<Snapshot> usable_snapshots(const std::filesystem::path& folder);

/// Returns the latest or the best snapshots (of equal merit, the earlier), by `counts`, oldest
/// first. All if there are fewer; none if both counts are 0.
[[nodiscard]] std::vector<Snapshot> choose_snapshots(std::vector<Snapshot> all,
                                                     const SnapshotCounts& counts);

/// Removes the usable_snapshots() in `folder` that neither `keep` nor `average` selects.
void prune_snapshots(const std::filesystem::path& folder, const SnapshotCounts& keep,
                     const SnapshotCounts& average);
/// Removes snapshots of later updates (-1: all).
void remove_snapshots_after(const std::filesystem::path& folder, int64_t update);

/// Returns the mean of each weight over the files, computed in double precision (checkpoint
/// averaging, Junczys-Dowmunt, Dwojak & Sennrich 2016). Throws ModelFileError if a file is damaged
/// or its names or shapes differ from the first. Requires: at least one file.
[[nodiscard]] std::map<std::string, torch::Tensor> average_weights(
    std::span<const std::filesystem::path> files);

}  // namespace attend::train
