#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"

namespace attend::config {

/// The file as a document (none for an empty name), then every override ("key=value") as one, in
/// the order in which they apply. Throws ConfigError if the file cannot be read; text that is not
/// YAML goes to `reading`.
[[nodiscard]] std::vector<Node> read_documents(const std::filesystem::path& file,
                                               std::span<const std::string> overrides,
                                               Reading& reading);

/// All keys that hold a value, dotted.
[[nodiscard]] std::vector<std::string> dotted_keys(const std::vector<KeyInfo>& keys,
                                                   const std::string& section = "");

/// Options with where each key was set last.
template <class Options>
struct Loaded {
  Options options;
  std::map<std::string, Place> set_at;  ///< by dotted key; a key that is not there has its default
};

/// Reads a config into `reading`: defaults, then the file, then the overrides; the last one wins.
/// Throws one ConfigError with everything that is wrong.
template <class Options>
[[nodiscard]] Options load(const std::filesystem::path& file,
                           std::span<const std::string> overrides, Reading& reading) {
  const auto schema = schema_of<Options>();
  reading.all_keys = dotted_keys(schema.keys());
  Options options;
  for (const Node& document : read_documents(file, overrides, reading)) {
    schema.read(document, "", reading, options);
  }
  schema.check(options, "", reading);
  reading.problems.throw_if_any();
  return options;
}

/// Reads a config that is to be run. Throws ConfigError.
template <class Options>
[[nodiscard]] Options load(const std::filesystem::path& file,
                           std::span<const std::string> overrides = {}) {
  Reading reading;
  return load<Options>(file, overrides, reading);
}

/// Reads the config that a model was trained with, in which keys without an effect are let be.
/// Throws ConfigError.
template <class Options>
[[nodiscard]] Options load_trained(const std::filesystem::path& file) {
  Reading reading;
  reading.is_new = false;
  return load<Options>(file, {}, reading);
}

/// Reads a config that is to be shown: what only a run requires may be missing, even the file (an
/// empty name). Throws ConfigError.
template <class Options>
[[nodiscard]] Loaded<Options> load_to_show(const std::filesystem::path& file,
                                           std::span<const std::string> overrides) {
  Reading reading;
  reading.to_run = false;
  Options options = load<Options>(file, overrides, reading);
  return {std::move(options), std::move(reading.set_at)};
}

}  // namespace attend::config
