#pragma once
// Prints options as YAML that can be loaded again.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/schema.h"

namespace attend::config {

template <class Options>
struct Loaded;  // config/load.h

/// Prints `values` in the order of `keys`. Paths inside `folder` (if given) are written relative to
/// it, so that a config in the folder stays valid when the folder moves. Keys found in `set_at` get
/// a comment that says where they were set.
[[nodiscard]] std::string to_yaml(const Node& values, const std::vector<KeyInfo>& keys,
                                  const std::filesystem::path& folder,
                                  const std::map<std::string, Place>& set_at);
template <class Options>
[[nodiscard]] std::string to_yaml(const Options& options,
                                  const std::filesystem::path& folder = {}) {
  const auto schema = schema_of<Options>();
  return to_yaml(schema.write(options), schema.keys(), folder, {});
}
template <class Options>
[[nodiscard]] std::string to_yaml(const Loaded<Options>& loaded) {
  const auto schema = schema_of<Options>();
  return to_yaml(schema.write(loaded.options), schema.keys(), {}, loaded.set_at);
}

/// Like to_yaml(), with the meaning, type, range, choices and default of every key as comments.
[[nodiscard]] std::string reference(const Node& values, const Node& defaults,
                                    const std::vector<KeyInfo>& keys);
template <class Options>
[[nodiscard]] std::string reference(const Options& options = {}) {
  const auto schema = schema_of<Options>();
  return reference(schema.write(options), schema.write(Options()), schema.keys());
}

/// Finds `key` (dotted). Returns it with all keys below it, inside the sections that contain it,
/// whose docs are cleared. Empty if there is no such key.
[[nodiscard]] std::vector<KeyInfo> keys_to(const std::string& key,
                                           const std::vector<KeyInfo>& keys);

/// Like reference(), for one key or section.
template <class Options>
[[nodiscard]] std::string explanation(const Options& options, const std::string& key) {
  const auto schema = schema_of<Options>();
  return reference(schema.write(options), schema.write(Options()), keys_to(key, schema.keys()));
}

/// Dotted keys whose values differ.
[[nodiscard]] std::vector<std::string> differences(const Node& a, const Node& b);
template <class Options>
[[nodiscard]] std::vector<std::string> differences(const Options& a, const Options& b) {
  const auto schema = schema_of<Options>();
  return differences(schema.write(a), schema.write(b));
}

/// The value of a key (dotted) on one line, as to_flow() prints it; "nothing" if there is no such
/// key.
[[nodiscard]] std::string value_of(const Node& values, const std::string& key);
template <class Options>
[[nodiscard]] std::string value_of(const Options& options, const std::string& key) {
  return value_of(schema_of<Options>().write(options), key);
}

/// A value on one line: `5`, `[a, b]`, `{size: 80, unit: sentences}`; text is quoted where it would
/// read as something else.
[[nodiscard]] std::string to_flow(const Node& node);

}  // namespace attend::config
