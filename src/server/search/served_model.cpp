#include "server/search/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/model/languages.h"
#include "app/model/output_directory.h"
#include "app/translate/search_overrides.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/option_name.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<ServedModel> load(const std::string& given,
                                  std::optional<decode::Precision> precision,
                                  torch::Device device) {
  const std::size_t equals = given.find('=');
  const bool named = equals != std::string::npos && equals > 0 && !fs::exists(given);
  auto model = std::make_unique<ServedModel>();
  model->members = app::load_models({named ? given.substr(equals + 1) : given}, device);
  model->name = named ? given.substr(0, equals)
                      : app::full_folder_name(model->loaded().directory).filename().string();
  app::Languages languages = app::languages_of(model->name, model->loaded());
  model->source_language = std::move(languages.source);
  model->target_language = std::move(languages.target);
  app::SearchOverrides overrides;
  overrides.precision = precision;
  const auto decoding = app::decoding_options(overrides, model->loaded());
  model->translator = std::make_unique<app::Translator>(
      model->members, decode::step_execution(decoding, model->members.front().model->device()));
  model->phrases = std::make_unique<const app::PhraseCutter>(model->loaded().target);
  if (data::count_sources(model->loaded().experiment.data) == 1)
    model->cutter =
        std::make_unique<app::DocumentCutter>(*model->translator, model->source_language);
  return model;
}

std::vector<std::string> names_of(const std::vector<std::unique_ptr<ServedModel>>& models) {
  std::vector<std::string> names;
  for (const auto& model : models) names.push_back(model->name);
  return names;
}

}  // namespace

ServedModels::ServedModels(const std::vector<std::string>& models,
                           std::optional<decode::Precision> precision, torch::Device device) {
  for (const std::string& given : models) {
    auto model = load(given, precision, device);
    const auto same = [&](const auto& other) { return other->name == model->name; };
    if (std::any_of(models_.begin(), models_.end(), same)) {
      throw UsageError(
          fmt::format("{} {}: another model is also called \"{}\"; rename one: {} other={}",
                      option_name("model"), given, model->name, option_name("model"),
                      given.substr(given.find('=') + 1)));
    }
    models_.push_back(std::move(model));
  }
}

void ServedModels::add_glossary(const std::string& given) {
  const std::size_t equals = given.find('=');
  const bool is_named = equals != std::string::npos && equals > 0 && !fs::exists(given);
  const std::string name = is_named ? given.substr(0, equals) : "";
  const auto has_name = [&](const auto& model) { return model->name == name; };
  const auto found = is_named || models_.size() != 1
                         ? std::find_if(models_.begin(), models_.end(), has_name)
                         : models_.begin();
  if (found == models_.end()) {
    const auto names = names_of(models_);
    throw UsageError(
        fmt::format("{} {}: expected NAME=FILE with the name of a model{}; choices: {}",
                    option_name("glossary"), given, did_you_mean(name, names), join(names)));
  }
  ServedModel& model = **found;
  if (model.glossary != nullptr)
    throw UsageError(fmt::format("{} {}: the model \"{}\" has a glossary already; join the files",
                                 option_name("glossary"), given, model.name));
  model.glossary = std::make_shared<const app::Glossary>(
      app::read_glossary(is_named ? given.substr(equals + 1) : given, *model.phrases),
      *model.phrases);
}

const ServedModel& ServedModels::named(const std::string& name) const {
  if (models_.empty()) throw ApiError(404, "no_model", "this server has no model");
  if (name.empty() && models_.size() == 1) return *models_.front();
  for (const auto& model : models_) {
    if (model->name == name) return *model;
  }
  const auto names = names_of(models_);
  if (name.empty())
    throw bad_request(fmt::format("\"model\" is missing; choices: {}", join(names)));
  throw ApiError(404, "no_model",
                 fmt::format("unknown model \"{}\"{}; choices: {}", excerpt(name),
                             did_you_mean(name, names), join(names)));
}

const ServedModel* ServedModels::find_between(const std::string& source,
                                              const std::string& target) const {
  for (const auto& model : models_) {
    if ((source == "auto" || model->source_language == source) && model->target_language == target)
      return model.get();
  }
  return nullptr;
}

const ServedModel& ServedModels::between(const std::string& source,
                                         const std::string& target) const {
  if (const ServedModel* model = find_between(source, target)) return *model;
  throw bad_request(
      fmt::format("no model translates from \"{}\" to \"{}\"", excerpt(source), excerpt(target)));
}

}  // namespace attend::server
