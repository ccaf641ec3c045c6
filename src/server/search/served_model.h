#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/translate/translator.h"

namespace attend::server {

/// A model under the name by which requests choose it.
struct ServedModel {
  std::string name;
  std::string source_language;  ///< code; empty: not known
  std::string target_language;
  std::vector<app::LoadedModel> members;  ///< one
  std::unique_ptr<app::Translator> translator;

  [[nodiscard]] const app::LoadedModel& loaded() const { return members.front(); }
};

/// The models of a server; they stay where they are.
class ServedModels {
 public:
  /// Loads "DIR" or "NAME=DIR"; a NAME such as "en-de" is a pair of languages, without one the
  /// folder's name is taken. Languages that no name tells are those of the training files' names
  /// ("train.en"). `precision`: unset: the model's. Throws UsageError for two
  /// models of one name, and what app::load_model() throws.
  ServedModels(const std::vector<std::string>& models, std::optional<decode::Precision> precision,
               torch::Device device);

  [[nodiscard]] const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }
  /// The only model, or the one of that name. Throws ApiError 404 for a name that no model has, 400
  /// for none where there are several.
  [[nodiscard]] const ServedModel& named(const std::string& name) const;
  /// The first model from one language to the other; "auto" is any language. Throws ApiError.
  [[nodiscard]] const ServedModel& between(const std::string& source,
                                           const std::string& target) const;

 private:
  std::vector<std::unique_ptr<ServedModel>> models_;
};

}  // namespace attend::server
