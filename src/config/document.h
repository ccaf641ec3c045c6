#pragma once
// A YAML document as plain values. Every key and value has its position in the text. Errors that
// yaml-cpp accepts (duplicate keys, looping anchors) are reported here.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attend::config {

class Problems;

/// Where config text comes from: a file, or one --set on the command line.
struct Source {
  std::string name;  ///< what messages begin with: the file's name, or "--set key=value"
  std::filesystem::path folder;    ///< start of its relative paths
  std::vector<std::string> lines;  ///< lines of a file
  bool is_command_line = false;
};

/// A position in a source. `line` and `byte` (of the line) count from 1; 0 is the source as a
/// whole.
struct Place {
  std::shared_ptr<const Source> source;
  int64_t line = 0;
  int64_t byte = 0;
};

/// The column of a place in characters, from 1; 0: the source as a whole. Counts the characters
/// from the start of the line, so use it only for messages.
[[nodiscard]] int64_t column_of(const Place& place);

/// Formats a place: "configs/x.yaml:12", or the name alone for the command line.
[[nodiscard]] std::string to_string(const Place& place);

/// A value in a document.
struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;            ///< of a scalar
  bool quoted = false;         ///< true: a scalar that can only be text
  std::vector<Node> elements;  ///< of a sequence
  std::vector<Entry> entries;  ///< of a mapping, in the order of the text; keys are unique
  Place place;
  bool one_of_several = false;  ///< made from a dotted --set key; entries that it lacks are kept

  [[nodiscard]] static Node scalar(std::string text, bool quoted);
  [[nodiscard]] static Node sequence(std::vector<Node> elements);
  [[nodiscard]] static Node mapping(std::vector<Entry> entries);
};

/// A key of a mapping with its value.
struct Node::Entry {
  std::string key;
  Node value;
  Place key_place;
};

/// Describes a node for messages: `"abc"`, `5`, `null`, `a list`, `a section`.
[[nodiscard]] std::string describe_node(const Node& node);

/// Parses the text of a config file `name`. Returns what could be read. Adds broken YAML, duplicate
/// keys, keys that are not plain text and anchors that loop to `problems`.
[[nodiscard]] Node parse_file(const std::filesystem::path& name, std::string_view text,
                              Problems& problems);

/// Parses `a.b.c=value` as the document {a: {b: {c: value}}}; the value is YAML.
[[nodiscard]] Node parse_override(const std::string& override, Problems& problems);

}  // namespace attend::config
