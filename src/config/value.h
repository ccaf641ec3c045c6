#pragma once
// Converts single values between nodes and C++.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/field.h"
#include "config/range.h"
#include "core/named_enum.h"

namespace attend::config {

/// A path with an optional name (empty: none).
struct NamedPath {
  std::string name;
  std::string path;
  bool operator==(const NamedPath&) const = default;
};

/// Each of these functions returns the value of `node`, or reports at `key` why the field cannot
/// take it. They are stricter than YAML 1.1: only true and false are flags, numbers are decimal,
/// and quoted numbers are text.
[[nodiscard]] std::optional<bool> read_flag(const Node& node, const std::string& key,
                                            Reading& reading);
[[nodiscard]] std::optional<int64_t> read_integer(const Node& node, const std::string& key,
                                                  const Range<int64_t>& range, Reading& reading);
[[nodiscard]] std::optional<double> read_number(const Node& node, const std::string& key,
                                                const Range<double>& range, Reading& reading);
[[nodiscard]] std::optional<std::string> read_choice(const Node& node, const std::string& key,
                                                     const std::vector<std::string>& choices,
                                                     Reading& reading);
[[nodiscard]] std::optional<std::string> read_text(const Node& node, const std::string& key,
                                                   Reading& reading);
/// A list, of which `read_one` reads every element; a single value is a list of one, null is empty.
/// Elements that cannot be read are left out.
[[nodiscard]] std::vector<std::string> read_each(
    const Node& node, const std::function<std::optional<std::string>(const Node&)>& read_one);
/// Returns an absolute path. A relative path starts from the folder of the node's source.
[[nodiscard]] std::optional<std::string> read_path(const Node& node, const std::string& key,
                                                   Reading& reading);
[[nodiscard]] std::optional<std::vector<std::string>> read_paths(const Node& node,
                                                                 const std::string& key,
                                                                 Reading& reading);

/// A single path, without a name, or a mapping of names (of letters, digits, '_' and '-') to paths,
/// in the order of the names. null is none.
[[nodiscard]] std::optional<std::vector<NamedPath>> read_named_paths(const Node& node,
                                                                     const std::string& key,
                                                                     Reading& reading);
/// `paths` with the named paths of `changed` replaced or added.
[[nodiscard]] std::vector<NamedPath> with_changed(std::vector<NamedPath> paths,
                                                  const std::vector<NamedPath>& changed);
/// One of `words` is returned unchanged, anything else as a path. null is the empty string.
[[nodiscard]] std::optional<std::string> read_path_or_word(const Node& node, const std::string& key,
                                                           const std::vector<std::string>& words,
                                                           Reading& reading);

/// Describes possible values ("whole number, at least 1") for messages and the reference.
[[nodiscard]] std::string expected_integer(const Range<int64_t>& range);
[[nodiscard]] std::string expected_number(const Range<double>& range);
[[nodiscard]] std::string expected_choice(const std::vector<std::string>& choices);
[[nodiscard]] std::string expected_path_or(const std::vector<std::string>& words);

/// Values as nodes. Numbers are written so that they read back exactly. An empty text or list
/// becomes null, a list of one becomes its element.
[[nodiscard]] Node to_node(bool value);
[[nodiscard]] Node to_node(int64_t value);
[[nodiscard]] Node to_node(double value);
[[nodiscard]] Node to_node(const std::string& value);
template <NamedEnum Enum>
[[nodiscard]] Node to_node(Enum value) {
  return to_node(std::string(enum_name(value)));
}
[[nodiscard]] Node to_node(const std::vector<std::string>& value);
template <NamedEnum Enum>
[[nodiscard]] Node to_node(const std::vector<Enum>& value) {
  std::vector<std::string> names;
  for (const Enum one : value) names.emplace_back(enum_name(one));
  return to_node(names);
}
[[nodiscard]] Node to_node(const std::vector<NamedPath>& value);

}  // namespace attend::config
