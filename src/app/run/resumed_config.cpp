#include "app/run/resumed_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/output_directory.h"
#include "app/run/initial_model.h"
#include "config/print.h"
#include "core/closest_name.h"
#include "core/log.h"
#include "core/option_name.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

using std::filesystem::path;

/// Sections and keys on which the saved state depends; kFree names the exceptions.
constexpr std::array<std::string_view, 11> kFixed = {"seed",
                                                     "data.max_length",
                                                     "data.max_ratio",
                                                     "data.lowercase",
                                                     "data.reverse_target",
                                                     "data.segments.",
                                                     "tokenizer.",
                                                     "model.",
                                                     "training.batch.",
                                                     "training.optimizer",
                                                     "training.accumulate"};
/// Keys that decide validation scores: what is scored, and how. If they changed, new scores could
/// not be compared with the scores of the best weights and of the snapshots.
constexpr std::array<std::string_view, 6> kMeasured = {
    "data.protect.kinds",           "data.protect.patterns",
    "training.validation.metric",   "training.validation.max_sentences",
    "training.validation.tokenize", "training.validation.lowercase"};
/// Keys that also decide validation scores if the metric needs a search.
constexpr std::array<std::string_view, 5> kSearched = {
    "training.validation.beam", "decoding.length_penalty", "decoding.coverage_penalty",
    "decoding.max_length_ratio", "decoding.no_repeat_ngram_size"};
constexpr std::string_view kFree = "model.dropout.";

/// A key with a changed value.
struct Change {
  std::string key;
  std::string before;
  std::string now;
};

bool is_measured(const std::string& key, const Experiment& before) {
  if (std::ranges::find(kMeasured, key) != kMeasured.end()) return true;
  const bool searches = before.training.validation.metric == train::ValidationMetric::bleu &&
                        !before.data.dev.empty();
  return searches && std::ranges::find(kSearched, key) != kSearched.end();
}

bool is_fixed(const std::string& key, const Experiment& before) {
  if (key.starts_with(kFree)) return false;
  if (is_measured(key, before)) return true;
  return std::any_of(kFixed.begin(), kFixed.end(), [&key](std::string_view fixed) {
    return fixed.ends_with('.') ? key.starts_with(fixed) : key == fixed;
  });
}

/// Returns true if the key needs statistics that the run did not collect.
bool comes_too_late(const std::string& key, const Experiment& before) {
  return (key == "training.momentum" && before.training.momentum == 0.0) ||
         (key == "training.ema" && before.training.ema == 0.0);
}

std::vector<Change> changes(const Experiment& before, const Experiment& now) {
  const auto schema = config::schema_of<Experiment>();
  const config::Node old_values = schema.write(before);
  const config::Node new_values = schema.write(now);
  std::vector<Change> found;
  for (const std::string& key : config::differences(old_values, new_values)) {
    found.push_back({key, config::value_of(old_values, key), config::value_of(new_values, key)});
  }
  return found;
}

config::Place place_of(const std::string& key, const config::Loaded<Experiment>& loaded,
                       const path& file) {
  const auto found = loaded.set_at.find(key);
  if (found != loaded.set_at.end()) return found->second;
  return {std::make_shared<config::Source>(config::Source{file.string(), {}, {}}), 0, 0};
}

config::Problem refusal(const Change& change, const config::Place& place, const path& directory) {
  return {
      place, change.key,
      fmt::format("{}, but the run in {} has {}", change.now, directory.string(), change.before),
      "a resumed run must keep this value: restore it, or start over with " +
          option_name("overwrite")};
}

void log_changes(const std::vector<Change>& changed) {
  std::vector<std::string> parts;
  for (const Change& change : changed) {
    parts.push_back(fmt::format("{} {} (was {})", change.key, change.now, change.before));
  }
  if (!parts.empty()) log::info("resuming with changed keys: {}", join(parts));
}

}  // namespace

Experiment resumed_experiment(const path& directory, const path& config,
                              config::Loaded<Experiment> loaded) {
  auto before = config::load_trained<Experiment>(directory / storage::model_folder::kConfig);
  Experiment& now = loaded.options;
  // The saved config may have old paths, because the folder may have been moved.
  before.tokenizer.model = tokenizer_files(directory);
  now.tokenizer.model = before.tokenizer.model;
  if (!now.training.init_from.empty()) keep_tokenizer(before, now);
  train::BleuTokenizer& tokenize = now.training.validation.tokenize;
  if (tokenize == train::BleuTokenizer::automatic) tokenize = before.training.validation.tokenize;
  const std::vector<Change> changed = changes(before, now);
  config::Problems problems;
  for (const Change& change : changed) {
    if (!is_fixed(change.key, before) && !comes_too_late(change.key, before)) continue;
    problems.add(refusal(change, place_of(change.key, loaded, config), directory));
  }
  if (!before.data.dev.empty() && now.data.dev.empty()) {
    problems.add(
        refusal({"data.dev", "one", "null"}, place_of("data.dev", loaded, config), directory));
  }
  problems.throw_if_any();
  log_changes(changed);
  return now;
}

}  // namespace attend::app
