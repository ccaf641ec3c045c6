#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/document/document_cutter.h"
#include "app/terms/glossary.h"
#include "app/terms/phrase_cutter.h"
#include "app/translate/translator.h"

namespace attend::server {

/// A model and the name by which requests select it.
struct ServedModel {
  std::string name;
  std::string source_language;  ///< language code; empty: unknown
  std::string target_language;
  std::vector<app::LoadedModel> members;  ///< exactly one
  std::unique_ptr<app::Translator> translator;
  std::unique_ptr<const app::PhraseCutter> phrases;
  std::shared_ptr<const app::Glossary> glossary;  ///< for all requests without sampling; null: none
  std::unique_ptr<app::DocumentCutter> cutter;    ///< null for a model of several sources

  [[nodiscard]] const app::LoadedModel& loaded() const { return members.front(); }
};

/// The models of a server. Pointers to them stay valid.
class ServedModels {
 public:
  /// Loads models given as "DIR" or "NAME=DIR"; NAME defaults to the name of the folder. A name
  /// such as "en-de" sets the languages; otherwise they come from the names of the training files
  /// ("train.en"). If `precision` is unset, each model keeps its own. Throws UsageError for two
  /// models of the same name, and what app::load_model() throws.
  ServedModels(const std::vector<std::string>& models, std::optional<decode::Precision> precision,
               torch::Device device);

  /// Reads a glossary given as "FILE", for the only model, or "NAME=FILE". Throws UsageError for an
  /// unknown or missing name and a second glossary, and what app::read_glossary() throws.
  void add_glossary(const std::string& given);

  [[nodiscard]] const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }
  /// The model of that name; if it is empty, the only model. Throws ApiError 404 for an unknown
  /// name, 400 for an empty name if there are several models.
  [[nodiscard]] const ServedModel& named(const std::string& name) const;
  /// The first model for a pair of languages; `source` "auto" is any language. Null if there is
  /// none.
  [[nodiscard]] const ServedModel* find_between(const std::string& source,
                                                const std::string& target) const;
  /// Like find_between(). Throws ApiError if there is none.
  [[nodiscard]] const ServedModel& between(const std::string& source,
                                           const std::string& target) const;

 private:
  std::vector<std::unique_ptr<ServedModel>> models_;
};

}  // namespace attend::server
