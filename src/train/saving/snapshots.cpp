#include "train/saving/snapshots.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/number.h"
#include "core/replacement_file.h"
#include "storage/weights_file.h"

namespace attend::train {
namespace {

using std::filesystem::path;
using Weights = std::map<std::string, torch::Tensor>;

constexpr std::string_view kPrefix = "update-";
constexpr std::string_view kSuffix = ".safetensors";

/// The update in a snapshot's name; nothing for other files.
std::optional<int64_t> update_of(const path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return number_in<int64_t>(
      std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
}

std::vector<path> snapshot_files(const path& folder) {
  std::vector<path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (update_of(entry.path())) files.push_back(entry.path());
  }
  if (error) throw ModelFileError(folder, "cannot read the folder");
  return files;
}

/// Nothing if there is no such number.
std::optional<double> metadata_number(const std::map<std::string, std::string>& metadata,
                                      const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::nullopt : number_in<double>(found->second);
}

Merit merit_in(const path& file) {
  const auto metadata = storage::load_metadata(file);
  const auto score = metadata_number(metadata, "score");
  if (!score) throw ModelFileError(file, "the file has no validation score");
  const double loss =
      metadata_number(metadata, "loss").value_or(std::numeric_limits<double>::max());
  return {*score, std::isfinite(loss) ? loss : std::numeric_limits<double>::max()};
}

Snapshot snapshot_in(const path& file) {
  return {file, update_of(file).value(), merit_in(file)};
}

bool is_older(const Snapshot& a, const Snapshot& b) {
  return a.update < b.update;
}

void add_weights(Weights& sums, Weights weights, const path& file, const path& first) {
  if (weights.size() != sums.size()) {
    throw ModelFileError(file, fmt::format("{} weights, but {} has {}; only models of one config "
                                           "can be averaged",
                                           weights.size(), first.string(), sums.size()));
  }
  for (auto& [name, sum] : sums) {
    const auto found = weights.find(name);
    if (found == weights.end() || found->second.sizes() != sum.sizes()) {
      throw ModelFileError(file, fmt::format("weight {} is missing or of another shape than in "
                                             "{}; only models of one config can be averaged",
                                             name, first.string()));
    }
    sum.add_(found->second);
  }
}

}  // namespace

path snapshot_path(const path& folder, int64_t update) {
  return folder / fmt::format("{}{:08}{}", kPrefix, update, kSuffix);
}

bool is_snapshot(const path& file) {
  return update_of(file).has_value();
}

std::vector<Snapshot> list_snapshots(const path& folder) {
  std::vector<Snapshot> snapshots;
  for (const path& file : snapshot_files(folder)) snapshots.push_back(snapshot_in(file));
  std::sort(snapshots.begin(), snapshots.end(), is_older);
  return snapshots;
}

std::vector<Snapshot> usable_snapshots(const path& folder) {
  std::vector<Snapshot> snapshots;
  for (const path& file : snapshot_files(folder)) {
    try {
      snapshots.push_back(snapshot_in(file));
    } catch (const ModelFileError& error) {
      log::warning("{}; it is neither averaged nor removed", error.what());
    }
  }
  std::sort(snapshots.begin(), snapshots.end(), is_older);
  return snapshots;
}

std::vector<Snapshot> choose_snapshots(std::vector<Snapshot> all, const SnapshotCounts& counts) {
  const auto count = static_cast<std::size_t>(std::max(counts.last, counts.best));
  std::sort(all.begin(), all.end(), [&](const Snapshot& a, const Snapshot& b) {
    if (counts.best == 0) return a.update > b.update;
    if (a.merit.is_better_than(b.merit)) return true;
    return !b.merit.is_better_than(a.merit) && a.update < b.update;
  });
  all.resize(std::min(all.size(), count));
  std::sort(all.begin(), all.end(), is_older);
  return all;
}

void prune_snapshots(const path& folder, const SnapshotCounts& keep,
                     const SnapshotCounts& average) {
  const std::vector<Snapshot> all = usable_snapshots(folder);
  std::vector<Snapshot> wanted = choose_snapshots(all, keep);
  for (Snapshot& snapshot : choose_snapshots(all, average)) wanted.push_back(std::move(snapshot));
  for (const Snapshot& snapshot : all) {
    const bool stays = std::any_of(wanted.begin(), wanted.end(), [&](const Snapshot& other) {
      return other.update == snapshot.update;
    });
    if (!stays) remove_file(snapshot.file);
  }
}

void remove_snapshots_after(const path& folder, int64_t update) {
  for (const path& file : snapshot_files(folder)) {
    if (update_of(file).value() > update) remove_file(file);
  }
}

Weights average_weights(std::span<const path> files) {
  const torch::NoGradGuard no_grad;
  Weights sums = storage::load_tensors(files.front()).tensors;
  std::map<std::string, torch::ScalarType> types;
  for (auto& [name, sum] : sums) {
    types[name] = sum.scalar_type();
    sum = sum.to(torch::kFloat64);
  }
  for (const path& file : files.subspan(1)) {
    add_weights(sums, storage::load_tensors(file).tensors, file, files.front());
  }
  for (auto& [name, sum] : sums) {
    sum = sum.div_(static_cast<double>(files.size())).to(types[name]);
  }
  return sums;
}

}  // namespace attend::train
