#include "server/http/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/closest_name.h"
#include "core/excerpt.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

using nlohmann::json;

constexpr int kDeepest = 32;

json parse_shallow(std::string_view body) {
  const auto check = [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > kDeepest)
      throw bad_request(fmt::format("values are nested more than {} deep", kDeepest));
    return true;
  };
  try {
    return json::parse(body, check);
  } catch (const json::exception& error) {
    throw bad_request(fmt::format("the body is not JSON: {}", excerpt(error.what(), 200)));
  }
}

}  // namespace

std::string dump(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

json parse_object(std::string_view body) {
  json value = parse_shallow(body);
  if (!value.is_object()) throw bad_request("the body must be a JSON object");
  return value;
}

Fields::Fields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) throw bad_request(fmt::format("\"{}\" must be an object", path_));
}

const json* Fields::value(const std::string& name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> Fields::text(const std::string& name) {
  const json* found = value(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) throw bad_request(fmt::format("\"{}{}\" must be a string", path_, name));
  return found->get<std::string>();
}

std::string Fields::required_text(const std::string& name) {
  auto found = text(name);
  if (!found) throw bad_request(fmt::format("\"{}{}\" is missing", path_, name));
  return std::move(*found);
}

std::vector<std::string> Fields::texts(const std::string& name) {
  const json* found = value(name);
  if (found == nullptr) return {};
  if (found->is_string()) return {found->get<std::string>()};
  std::vector<std::string> result;
  if (found->is_array()) {
    for (const json& element : *found) {
      if (element.is_string()) result.push_back(element.get<std::string>());
    }
    if (result.size() == found->size()) return result;
  }
  throw bad_request(fmt::format("\"{}{}\" must be a string or a list of strings", path_, name));
}

std::optional<bool> Fields::flag(const std::string& name) {
  const json* found = value(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean())
    throw bad_request(fmt::format("\"{}{}\" must be true or false", path_, name));
  return found->get<bool>();
}

std::optional<int64_t> Fields::integer(const std::string& name, Range<int64_t> range) {
  const json* found = value(name);
  if (found == nullptr) return std::nullopt;
  const bool fits = found->is_number_integer() &&
                    found->get<double>() >= static_cast<double>(range.least) &&
                    found->get<double>() <= static_cast<double>(range.most);
  if (fits) return found->get<int64_t>();
  throw bad_request(fmt::format("\"{}{}\" must be a whole number from {} to {}", path_, name,
                                range.least, range.most));
}

std::optional<double> Fields::number(const std::string& name, Range<double> range) {
  const json* found = value(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_number() && found->get<double>() >= range.least &&
      found->get<double>() <= range.most)
    return found->get<double>();
  throw bad_request(
      fmt::format("\"{}{}\" must be a number from {} to {}", path_, name, range.least, range.most));
}

std::optional<std::string> Fields::choice(const std::string& name,
                                          const std::vector<std::string>& choices) {
  auto found = text(name);
  if (!found) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), *found) != choices.end()) return found;
  throw bad_request(fmt::format("\"{}{}\" is \"{}\"{}; choices: {}", path_, name, excerpt(*found),
                                did_you_mean(*found, choices), join(choices)));
}

void Fields::refuse_others() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [name, ignored] : object_.items()) {
    if (known_.contains(name)) continue;
    const std::string shown = excerpt(name);
    throw bad_request(
        fmt::format("unknown field \"{}{}\"{}", path_, shown, did_you_mean(shown, known)));
  }
}

}  // namespace attend::server
