#include "app/model/given_model.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/number.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

/// The part of `given` after the last colon, if it is a weight: a number, and not the end of a
/// folder's name.
std::optional<double> weight_of(const std::string& given) {
  const std::size_t colon = given.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || std::filesystem::exists(given, ignored)) return std::nullopt;
  const std::optional<double> weight = number_in<double>(std::string_view(given).substr(colon + 1));
  if (weight && !(*weight > 0.0 && std::isfinite(*weight)))
    throw UsageError(
        fmt::format("{} {}: the weight of a model must be a positive number, as in {}:0.7",
                    option_name("model"), given, given.substr(0, colon)));
  return weight;
}

}  // namespace

std::vector<GivenModel> parse_models(const std::vector<std::string>& given) {
  std::vector<GivenModel> models;
  std::string weighed;
  std::string unweighed;
  for (const std::string& model : given) {
    const std::optional<double> weight = weight_of(model);
    (weight ? weighed : unweighed) = model;
    models.push_back({weight ? model.substr(0, model.rfind(':')) : model, weight.value_or(1.0)});
  }
  if (!weighed.empty() && !unweighed.empty())
    throw UsageError(fmt::format(
        "{0} {1} has a weight, but {0} {2} has none; give every model of an ensemble one, or none",
        option_name("model"), weighed, unweighed));
  if (!weighed.empty() && models.size() == 1)
    throw UsageError(fmt::format(
        "{0} {1}: the weight of a single model would have no effect; give another {0}, or {2}",
        option_name("model"), weighed, models.front().directory));
  return models;
}

}  // namespace attend::app
