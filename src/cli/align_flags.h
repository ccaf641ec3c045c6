#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/align/statistical_pairs.h"
#include "app/translate/batch_overrides.h"
#include "cli/common_options.h"
#include "data/pair_reader.h"

namespace attend::cli {

/// Values of --head that are not numbers.
inline constexpr const char* kBest = "best";
inline constexpr const char* kMean = "mean";

/// The value of --symmetrize that joins weights; the others join links.
inline constexpr const char* kMutual = "mutual";

/// Methods without a model.
inline constexpr const char* kStatistical = "statistical";
inline constexpr const char* kVote = "vote";

/// The options of `attend align` as given.
struct AlignCommand {
  CommonOptions common;
  std::string model;
  std::string reverse_model;
  std::string symmetrize;
  std::string compared_model;
  data::PairFiles files;
  std::string links;
  std::string gold;
  std::string judge = "all";
  std::string output = "-";
  std::string format = "pharaoh";
  std::string level = "word";
  std::string method = "attention";
  std::optional<int64_t> saliency_samples;
  std::vector<int64_t> stems = app::StatisticalPairsOptions{}.stems;
  int64_t samplers = app::StatisticalPairsOptions{}.samplers;
  std::string priors;
  std::string save_priors;
  std::vector<std::string> votes;
  std::optional<float> threshold;
  std::optional<std::size_t> shift;
  std::optional<std::size_t> layer;
  std::string head;
  std::string kinds;
  std::string heatmaps;
  std::string heatmap_format = "svg";
  app::BatchOverrides batch;
};

/// Adds all options of `attend align`.
void add_align_options(CLI::App& command, AlignCommand& options);

}  // namespace attend::cli
