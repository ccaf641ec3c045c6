#include "app/run/average_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/config/experiment.h"
#include "app/model/loaded_model.h"
#include "app/model/output_directory.h"
#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "core/log.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"
#include "train/saving/snapshots.h"

namespace attend::app {
namespace {

std::vector<std::filesystem::path> chosen_snapshots(const AverageOptions& options) {
  const std::filesystem::path directory = options.models.front();
  const auto wanted = static_cast<std::size_t>(std::max(options.best, options.last));
  const std::vector<train::Snapshot> all = train::list_snapshots(directory);
  std::vector<std::filesystem::path> files;
  for (const train::Snapshot& snapshot :
       train::choose_snapshots(all, {options.last, options.best})) {
    files.push_back(snapshot.file);
  }
  if (files.size() < wanted) {
    throw ModelFileError(
        directory, fmt::format("cannot average {} snapshots: the folder has {}; keep more with "
                               "training.keep or training.average",
                               wanted, all.size()));
  }
  return files;
}

std::vector<std::filesystem::path> files_to_average(const AverageOptions& options) {
  if (options.best + options.last > 0) return chosen_snapshots(options);
  std::vector<std::filesystem::path> files;
  for (const std::string& model : options.models)
    files.push_back(std::filesystem::path(model) / storage::model_folder::kBestWeights);
  return files;
}

/// Throws ModelFileError unless all models have the same vocabularies.
void check_tokenizers(const std::vector<std::string>& models) {
  const auto first = tokenizer_bytes(models.front());
  for (const std::string& model : models) {
    if (tokenizer_bytes(model) == first) continue;
    throw ModelFileError(model, fmt::format("its vocabulary differs from that of {}; only models "
                                            "with the same vocabulary can be averaged",
                                            models.front()));
  }
}

/// Returns true if the key changes what the weights compute. Dropout affects only training.
bool decides_what_weights_mean(const std::string& key) {
  return key == "data.lowercase" || key == "data.reverse_target" ||
         (key.starts_with("model.") && !key.starts_with("model.dropout."));
}

Experiment experiment_in(const std::filesystem::path& directory) {
  return config::load_trained<Experiment>(directory / storage::model_folder::kConfig);
}

/// Compares configs, because equal names and shapes may belong to different computations.
void check_configs(const std::vector<std::string>& models) {
  const Experiment first = experiment_in(models.front());
  for (const std::string& model : models) {
    const Experiment other = experiment_in(model);
    for (const std::string& key : config::differences(first, other)) {
      if (!decides_what_weights_mean(key)) continue;
      throw ModelFileError(
          model, fmt::format("its {} is {}, but that of {} is {}; only models with the same config "
                             "can be averaged",
                             key, config::value_of(other, key), models.front(),
                             config::value_of(first, key)));
    }
  }
}

bool is_folder(const std::string& name, const std::string& folder) {
  std::error_code ignored;
  return !name.empty() && std::filesystem::equivalent(name, folder, ignored);
}

/// Returns true if two models started from the same weights, or one from the other.
bool began_together(const std::string& a, const std::string& b) {
  const Experiment first = experiment_in(a), second = experiment_in(b);
  const std::string& start = first.training.init_from;
  if (is_folder(start, b) || is_folder(second.training.init_from, a)) return true;
  if (start != second.training.init_from) return false;
  return !start.empty() || first.seed == second.seed;
}

/// Warns if models did not start from the same weights, because their mean is then useless.
void warn_of_other_runs(const std::vector<std::string>& models) {
  const auto other = std::find_if_not(models.begin(), models.end(), [&](const std::string& model) {
    return began_together(models.front(), model);
  });
  if (other == models.end()) return;
  log::warning(
      "{} and {} did not start from the same weights; the average of such models is usually "
      "useless. Translate with both instead (--model A --model B)",
      models.front(), *other);
}

}  // namespace

std::vector<std::filesystem::path> average_models(const AverageOptions& options) {
  for (const std::string& model : options.models) require_model_directory(model);
  check_tokenizers(options.models);
  check_configs(options.models);
  warn_of_other_runs(options.models);
  const std::filesystem::path first = options.models.front();
  const std::vector<std::filesystem::path> files = files_to_average(options);
  const auto weights = train::average_weights(files);
  try {
    start_directory(options.output, experiment_in(first), tokenizer_bytes(first));
    copy_trained_pieces(first, options.output);
    storage::save_tensors(options.output / storage::model_folder::kBestWeights,
                          {weights, {{"averaged", fmt::format("{}", files.size())}}});
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(options.output, ignored);
    throw;
  }
  return files;
}

}  // namespace attend::app
