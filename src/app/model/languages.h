#pragma once
#include <string>
#include <string_view>

#include "app/model/loaded_model.h"

namespace attend::app {

/// Codes of the languages that a model translates between; empty: unknown.
struct Languages {
  std::string source;
  std::string target;
};

/// The languages by the name of a model ("en-de"), otherwise by the names of its first training
/// files ("train.en", "train.en.gz").
[[nodiscard]] Languages languages_of(std::string_view name, const LoadedModel& model);

}  // namespace attend::app
