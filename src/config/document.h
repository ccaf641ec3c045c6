#pragma once
// A YAML document as plain values: every key and value knows where it stands. What yaml-cpp lets
// pass (duplicate keys, looping anchors) is reported here.
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
  std::filesystem::path folder;    ///< that relative paths in it start from
  std::vector<std::string> lines;  ///< of a file
  bool is_command_line = false;
};

/// A position in a source. line and byte (of the line) count from 1; 0: the source as a whole.
struct Place {
  std::shared_ptr<const Source> source;
  int64_t line = 0;
  int64_t byte = 0;
};

/// The column of a place in characters, from 1; 0: the source as a whole. Counts from the start of
/// the line, so it is for messages alone.
[[nodiscard]] int64_t column_of(const Place& place);

/// "configs/x.yaml:12", or the name alone for the command line.
[[nodiscard]] std::string to_string(const Place& place);

/// A value in a document.
struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;            ///< of a scalar
  bool quoted = false;         ///< whether a scalar can only be text
  std::vector<Node> elements;  ///< of a sequence
  std::vector<Entry> entries;  ///< of a mapping, in the order of the text; keys are unique
  Place place;
  bool one_of_several = false;  ///< a mapping that a dotted key of the command line stands for

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

/// For messages: `"abc"`, `5`, `null`, `a list`, `a section`.
[[nodiscard]] std::string describe_node(const Node& node);

/// Parses the text of a config file `name`. Broken YAML, duplicate keys, keys that are not plain
/// text and anchors that loop go to `problems`; what could be read comes back.
[[nodiscard]] Node parse_file(const std::filesystem::path& name, std::string_view text,
                              Problems& problems);

/// Parses `a.b.c=value` as the document {a: {b: {c: value}}}; the value is YAML.
[[nodiscard]] Node parse_override(const std::string& override, Problems& problems);

}  // namespace attend::config
