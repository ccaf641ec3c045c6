#include "config/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/excerpt.h"
#include "core/utf8.h"

namespace attend::config {

std::string to_string(const Place& place) {
  if (!place.source) return "default";
  return place.line == 0 ? place.source->name
                         : fmt::format("{}:{}", place.source->name, place.line);
}

int64_t column_of(const Place& place) {
  const auto index = static_cast<std::size_t>(place.line) - 1;
  if (place.line == 0 || !place.source || index >= place.source->lines.size()) return place.byte;
  const auto before = static_cast<std::size_t>(std::max<int64_t>(place.byte, 1) - 1);
  const std::string_view line = place.source->lines[index];
  return static_cast<int64_t>(utf8::length(line.substr(0, before))) + 1;
}

Node Node::scalar(std::string text, bool quoted) {
  Node node;
  node.kind = Kind::kScalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

Node Node::sequence(std::vector<Node> elements) {
  Node node;
  node.kind = Kind::kSequence;
  node.elements = std::move(elements);
  return node;
}

Node Node::mapping(std::vector<Entry> entries) {
  Node node;
  node.kind = Kind::kMapping;
  node.entries = std::move(entries);
  return node;
}

std::string describe_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMapping:
      return "a section";
    case Node::Kind::kScalar:
      break;
  }
  return fmt::format("{}\"{}\"", node.quoted ? "the text " : "", excerpt(node.text));
}

}  // namespace attend::config
