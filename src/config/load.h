#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config/schema.h"

namespace attend::config {

/// The file as a document, then every override ("key=value") as one, in the order in which they
/// apply. Throws ConfigError if the file cannot be read or if any of it is not YAML.
[[nodiscard]] std::vector<Node> read_documents(const std::filesystem::path& file,
                                               std::span<const std::string> overrides,
                                               Reading& reading);
[[nodiscard]] std::vector<Node> read_overrides(std::span<const std::string> overrides,
                                               Reading& reading);

/// All keys that hold a value, dotted.
[[nodiscard]] std::vector<std::string> dotted_keys(const std::vector<KeyInfo>& keys,
                                                   const std::string& section = "");

/// Reads a config: defaults, then the file, then the overrides; the last one wins. Throws one
/// ConfigError with everything that is wrong.
template <class Options>
[[nodiscard]] Options load(const std::filesystem::path& file,
                           std::span<const std::string> overrides = {}) {
  const auto schema = schema_of<Options>();
  Reading reading;
  reading.all_keys = dotted_keys(schema.keys());
  Options options;
  for (const Node& document : read_documents(file, overrides, reading)) {
    schema.read(document, "", reading, options);
  }
  schema.check(options, "", reading);
  reading.problems.throw_if_any();
  return options;
}

/// The defaults with the overrides. Every value is checked by itself, rules over several keys are
/// not: nothing says that this is a whole config.
template <class Options>
[[nodiscard]] Options load_overrides(std::span<const std::string> overrides) {
  const auto schema = schema_of<Options>();
  Reading reading;
  reading.all_keys = dotted_keys(schema.keys());
  Options options;
  for (const Node& document : read_overrides(overrides, reading)) {
    schema.read(document, "", reading, options);
  }
  reading.problems.throw_if_any();
  return options;
}

}  // namespace attend::config
