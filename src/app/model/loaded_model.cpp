#include "app/model/loaded_model.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "app/model/given_model.h"
#include "app/model/model_options.h"
#include "app/model/output_directory.h"
#include "app/model/shared_tokenizers.h"
#include "app/model/special_files.h"
#include "config/load.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/option_name.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"

namespace attend::app {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> directories_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, failed)) {
    if (entry.is_directory(failed)) names.push_back(entry.path().filename().string());
  }
  return names;
}

bool is_model_folder(const fs::path& directory) {
  const auto has = [&](const char* name) {
    std::error_code failed;
    return fs::is_regular_file(directory / name, failed);
  };
  return has(storage::model_folder::kConfig) &&
         (has(storage::model_folder::kBestWeights) || has(storage::model_folder::kLastWeights));
}

/// "; models in FOLDER: NAME, NAME" for the nearest folder with models: `directory`, the folder
/// that holds it, or runs, where training writes by default. Empty if there are none.
std::string models_near(const fs::path& directory) {
  constexpr std::size_t kMost = 8;
  for (const fs::path& folder : {directory, directory.parent_path(), fs::path("runs")}) {
    std::vector<std::string> names = directories_in(folder);
    std::erase_if(names, [&](const std::string& name) { return !is_model_folder(folder / name); });
    if (names.empty()) continue;
    std::ranges::sort(names);
    const std::size_t more = names.size() - std::min(names.size(), kMost);
    names.resize(names.size() - more);
    return fmt::format("; models in {}: {}{}", folder.empty() ? "." : folder.string(), join(names),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  }
  return "";
}

// Removes a final slash, so that the last part is the folder's name.
fs::path plain(const fs::path& directory) {
  return directory.has_filename() ? directory : directory.parent_path();
}

fs::path require_file(const fs::path& directory, const char* name) {
  if (fs::exists(directory / name)) return directory / name;
  throw ModelFileError(directory, fmt::format("has no {}; give a model folder written by `attend "
                                              "train` (runs/<config name> or its {}){}",
                                              name, option_name("output"), models_near(directory)));
}

fs::path find_weights(const fs::path& directory) {
  for (const char* name :
       {storage::model_folder::kBestWeights, storage::model_folder::kLastWeights}) {
    const fs::path file = directory / name;
    if (fs::exists(file)) return file;
    if (fs::is_symlink(file))
      throw ModelFileError(file, fmt::format("is a link to {}, which does not exist; restore the "
                                             "file or remove the link",
                                             fs::read_symlink(file).string()));
  }
  throw ModelFileError(directory, fmt::format("has neither {} nor {}; training has not saved a "
                                              "model yet",
                                              storage::model_folder::kBestWeights,
                                              storage::model_folder::kLastWeights));
}

void set_tokenizers(LoadedModel& loaded) {
  const std::vector<std::string> names = tokenizer_files(loaded.directory);
  const std::vector<fs::path> files(names.begin(), names.end());
  auto [source, target] = load_tokenizers(files, loaded.experiment.data);
  loaded.source = std::move(source);
  loaded.target = std::move(target);
}

/// Makes the model. Throws ModelFileError if it is too large, as files from strangers may demand.
std::unique_ptr<model::Seq2Seq> model_of_config(const LoadedModel& loaded) {
  try {
    return std::make_unique<model::Seq2Seq>(model_options(loaded.experiment, *loaded.source),
                                            loaded.source->size(), loaded.target->size());
  } catch (const std::bad_alloc&) {
    log::debug("no memory for the model");
  } catch (const c10::Error& error) {  // no memory, or too many elements to count
    log::debug("{}", error.what());
  }
  throw ModelFileError(loaded.directory / storage::model_folder::kConfig,
                       "there is no memory for a model of this size; do the config and the weights "
                       "belong together?");
}

void check_same_direction(const LoadedModel& first, const LoadedModel& other) {
  const auto direction = [](const LoadedModel& model) {
    return model.experiment.data.reverse_target ? "the end" : "the beginning";
  };
  if (first.experiment.data.reverse_target == other.experiment.data.reverse_target) return;
  throw UsageError(fmt::format(
      "{0} {1} writes translations from {2}, {0} {3} from {4} (data.reverse_target); the models of "
      "an ensemble must share one direction. Combine both directions with `attend rerank`",
      option_name("model"), first.directory.string(), direction(first), other.directory.string(),
      direction(other)));
}

}  // namespace

void require_model_directory(const fs::path& directory) {
  std::error_code failed;
  const fs::file_status status = fs::status(directory, failed);
  if (fs::is_directory(status)) return;
  if (status.type() == fs::file_type::none) {
    throw ModelFileError(directory, "cannot be opened: " + failed.message());
  }
  if (fs::exists(status)) {
    throw ModelFileError(directory, "is a file; give the model folder that holds it");
  }
  const fs::path missing = plain(directory);
  const std::string meant =
      did_you_mean(missing.filename().string(), directories_in(missing.parent_path()));
  throw ModelFileError(directory,
                       "no such model folder" + (meant.empty() ? models_near(missing) : meant));
}

Experiment load_experiment(const fs::path& directory) {
  require_model_directory(directory);
  refuse_special_files(directory);
  const fs::path file = require_file(directory, storage::model_folder::kConfig);
  try {
    return config::load_trained<Experiment>(file);
  } catch (const ConfigError& error) {
    throw ModelFileError(file, fmt::format("the model's config cannot be used\n{}", error.what()));
  }
}

LoadedModel load_model(const fs::path& directory, torch::Device device) {
  LoadedModel loaded;
  loaded.directory = directory;
  loaded.experiment = load_experiment(directory);
  set_tokenizers(loaded);
  loaded.known = load_known_texts(directory, loaded.source, loaded.target);
  loaded.weights_file = find_weights(directory);
  loaded.model = model_of_config(loaded);
  storage::set_weights(*loaded.model, storage::load_tensors(loaded.weights_file).tensors,
                       loaded.weights_file);
  loaded.model->to(device);
  loaded.model->eval();
  log::debug("loaded {}", loaded.weights_file.string());
  return loaded;
}

std::vector<LoadedModel> load_models(const std::vector<std::string>& given, torch::Device device) {
  std::vector<LoadedModel> models;
  for (const GivenModel& member : parse_models(given)) {
    models.push_back(load_model(member.directory, device));
    models.back().weight = member.weight;
    check_same_direction(models.front(), models.back());
    if (same_pieces(*models.front().target, *models.back().target)) continue;
    throw UsageError(fmt::format(
        "{0} {1} and {0} {2} have different target vocabularies; train the models of an ensemble "
        "with the same tokenizer (tokenizer.model)",
        option_name("model"), models.front().directory.string(), member.directory));
  }
  return models;
}

bool same_source_pieces(const LoadedModel& a, const LoadedModel& b) {
  return data::count_sources(a.experiment.data) == data::count_sources(b.experiment.data) &&
         a.experiment.data.lowercase == b.experiment.data.lowercase &&
         a.experiment.data.max_length == b.experiment.data.max_length &&
         read_file(tokenizer_files(a.directory).front()) ==
             read_file(tokenizer_files(b.directory).front());
}

void require_reading_order(const LoadedModel& model, const std::string& option) {
  if (!model.experiment.data.reverse_target) return;
  throw UsageError(
      fmt::format("{} sets the beginning of translations, but the model in {} writes them from the "
                  "end (data.reverse_target: true)",
                  option, model.directory.string()));
}

void require_attention(const LoadedModel& model, const std::string& option) {
  if (model.model->attends()) return;
  throw UsageError(fmt::format(
      "{} needs attention, but the model in {} has none "
      "(model.decoder.wiring: {})",
      option, model.directory.string(), model::wiring_name(model.experiment.model.decoder)));
}

}  // namespace attend::app
