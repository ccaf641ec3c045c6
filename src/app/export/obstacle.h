#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/named_enum.h"
#include "data/options.h"

namespace attend::app {

/// A config key whose value a format cannot express.
struct Obstacle {
  std::string key;
  std::string value;
  std::string needed;  ///< the value to train with instead, or several: "scaled_dot or dot"
};

/// Adds an obstacle unless `value` is one of `allowed`.
template <class Value>
void need(std::vector<Obstacle>& obstacles, const std::string& key, const Value& value,
          std::initializer_list<Value> allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  std::string needed;
  for (const Value& choice : allowed)
    needed += fmt::format("{}{}", needed.empty() ? "" : " or ", choice);
  obstacles.push_back({key, fmt::format("{}", value), std::move(needed)});
}

/// Adds an obstacle unless examples have one source.
void need_one_source(std::vector<Obstacle>& obstacles, const data::DataOptions& data);

/// Throws UsageError, listing all obstacles with the values to train with, unless there are none.
/// `format` is the name of the format; `directory` that of the model.
void refuse(const std::vector<Obstacle>& obstacles, const std::string& format,
            const std::filesystem::path& directory);

}  // namespace attend::app
