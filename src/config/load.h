#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/print.h"
#include "config/schema.h"
#include "core/error.h"
#include "core/excerpt.h"

namespace attend::config {

/// Reads the file (none for an empty name) and every override ("key=value") as documents, in the
/// order in which they apply. Throws ConfigError if the file cannot be read; reports text that is
/// not YAML in `reading`.
[[nodiscard]] std::vector<Node> read_documents(const std::filesystem::path& file,
                                               std::span<const std::string> overrides,
                                               Reading& reading);

/// Lists the dotted names of all keys that hold a value.
[[nodiscard]] std::vector<std::string> dotted_keys(const std::vector<KeyInfo>& keys,
                                                   const std::string& section = "");

/// Where each dotted key was set last. Keys that are not listed have their defaults.
using SetAt = std::map<std::string, Place>;

/// Options with the places where their keys were set.
template <class Options>
struct Loaded {
  Options options;
  SetAt set_at;
};

/// Options with a function settle(Options&, const SetAt&) in their namespace. It sets the defaults
/// that depend on other keys, before the rules are checked.
template <class Options>
concept Settled = requires(Options& options, const SetAt& set_at) {
  settle(options, set_at);
};

/// Options with a function other_names(const Options&) in their namespace, which returns the names
/// of other tools for the hints.
template <class Options>
concept KnownElsewhere = requires(const Options& options) {
  other_names(options);
};

/// The options that a config changes.
template <class Options>
struct Basis {
  Options options = {};  ///< the values of keys that are not set
  /// Sets the defaults that depend on other keys, before the rules are checked, and may report
  /// problems. Empty: settle() does so, if there is one.
  std::function<void(Options& options, Reading& reading)> settle = nullptr;
};

/// Reads a config: the basis, then the file (none for an empty name), then the overrides; the last
/// value wins. Then settles other keys and checks the rules, once. Throws one ConfigError with all
/// errors.
template <class Options>
[[nodiscard]] Loaded<Options> load(const std::filesystem::path& file,
                                   std::span<const std::string> overrides, Purpose purpose,
                                   const Basis<Options>& basis = {}) {
  Reading reading;
  reading.purpose = purpose;
  const auto schema = schema_of<Options>();
  reading.all_keys = dotted_keys(schema.keys());
  Options options = basis.options;
  if constexpr (KnownElsewhere<Options>) reading.other_names = other_names(options);
  for (const Node& document : read_documents(file, overrides, reading)) {
    schema.read(document, "", reading, options);
  }
  if (basis.settle) {
    basis.settle(options, reading);
  } else if constexpr (Settled<Options>) {
    settle(options, reading.set_at);
  }
  schema.check(options, "", reading);
  reading.problems.throw_if_any();
  return {std::move(options), std::move(reading.set_at)};
}

/// Explains a key or section (dotted): its meaning, values, default, and the value that `overrides`
/// give it. Throws ConfigError if there is no such key, with the nearest name.
template <class Options>
[[nodiscard]] std::string explain(const std::string& key, std::span<const std::string> overrides) {
  const auto keys = schema_of<Options>().keys();
  if (keys_to(key, keys).empty()) {
    Reading reading;
    reading.all_keys = dotted_keys(keys);
    if constexpr (KnownElsewhere<Options>) reading.other_names = other_names(Options());
    throw ConfigError(fmt::format("\"{}\" is neither a file nor a key{}", excerpt(key),
                                  hint_at_key(key, keys, "", reading)));
  }
  return explanation(load<Options>({}, overrides, Purpose::show).options, key);
}

/// Reads the config of a new run. Throws ConfigError.
template <class Options>
[[nodiscard]] Options load(const std::filesystem::path& file,
                           std::span<const std::string> overrides = {}) {
  return load<Options>(file, overrides, Purpose::train).options;
}

/// Reads the config of a trained model. Throws ConfigError.
template <class Options>
[[nodiscard]] Options load_trained(const std::filesystem::path& file) {
  return load<Options>(file, {}, Purpose::use).options;
}

}  // namespace attend::config
