#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "config/document.h"
#include "config/problems.h"
#include "config/section.h"
#include "core/excerpt.h"
#include "core/utf8.h"

namespace attend::config {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// The largest number of values in a config, which usually has a few hundred. Aliases of aliases can
// multiply to any number, so copied values are counted too, separately from the values in the text.
constexpr std::size_t kMostNodes = 100'000;
// The largest depth of nesting, aliases included; yaml-cpp itself allows a depth of 500 in the
// text.
constexpr std::size_t kMostDepth = 1000;

struct Extent {
  std::size_t nodes = 1;
  std::size_t depth = 1;

  void add(const Extent& inner) {
    nodes += inner.nodes;
    depth = std::max(depth, inner.depth + 1);
  }
};

Extent extent_of(const Node& node) {
  Extent extent;
  for (const Node& element : node.elements) extent.add(extent_of(element));
  for (const Node::Entry& entry : node.entries) extent.add(extent_of(entry.value));
  return extent;
}

// yaml-cpp counts lines from 0 and columns in bytes from 0.
Place place_of(const YAML::Mark& mark, const std::shared_ptr<const Source>& source) {
  Place place{source};
  if (source->is_command_line || mark.is_null()) return place;
  place.line = mark.line + 1;
  place.byte = mark.column + 1;
  return place;
}

// Builds nodes from the events of yaml-cpp's parser. yaml-cpp's own node tree would forget
// duplicate keys and follow loops.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const Source> source, std::string prefix, Problems& problems)
      : source_(std::move(source)), prefix_(std::move(prefix)), problems_(problems) {}

  Node take_root() { return std::move(root_); }
  [[nodiscard]] const Place& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = at(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(place({}, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    add(place(Node::scalar(value, quoted), mark), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({place(Node::sequence({}), mark), anchor, {}, {}});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({place(Node::mapping({}), mark), anchor, {}, {}});
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or mapping whose end has not been read.
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    std::optional<Node> key;              // a key whose value has not been read
    std::map<std::string, int64_t> keys;  // line of each key
  };

  [[nodiscard]] Place at(const YAML::Mark& mark) const { return place_of(mark, source_); }
  /// Gives a value its place in the text. Throws if there are too many values.
  [[nodiscard]] Node place(Node node, const YAML::Mark& mark) {
    if (++values_ > kMostNodes)
      throw YAML::ParserException(
          mark, fmt::format("more than {} values; a config usually has a few hundred", kMostNodes));
    node.place = at(mark);
    return node;
  }
  [[nodiscard]] std::string current_key() const;
  void count_copies(const Node& node, const YAML::Mark& mark);
  void close();
  void add(Node node, YAML::anchor_t anchor);
  void add_to_mapping(Open& mapping, Node node);
  void add_entry(Open& mapping, const Node& key, Node value);

  std::shared_ptr<const Source> source_;
  std::string prefix_;  // dotted key of the root
  Problems& problems_;
  Place start_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;   // copied for anchors and aliases
  std::size_t values_ = 0;  // of the text
};

std::string TreeBuilder::current_key() const {
  constexpr std::size_t kLongestPart = 200;  // longest part of a key in a message
  std::string key = prefix_;
  for (const Open& open : open_) {
    if (open.node.kind == Node::Kind::kSequence) key = indexed(key, open.node.elements.size());
    if (open.key) key = dotted(key, excerpt(open.key->text, kLongestPart));
  }
  return key;
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto known = anchors_.find(anchor);
  if (known == anchors_.end()) {
    problems_.add({at(mark), current_key(),
                   "this alias refers to the list or section that it stands in", ""});
    add(place({}, mark), YAML::NullAnchor);
    return;
  }
  count_copies(known->second, mark);
  add(known->second, YAML::NullAnchor);
}

// Anchors within anchors multiply the copied values, and aliases of aliases add their depths.
void TreeBuilder::count_copies(const Node& node, const YAML::Mark& mark) {
  const Extent extent = extent_of(node);
  nodes_ += extent.nodes;
  if (nodes_ > kMostNodes)
    throw YAML::ParserException(mark, "anchors and aliases multiply to too many values");
  if (extent.depth + open_.size() > kMostDepth)
    throw YAML::ParserException(mark, "aliases nest too deeply");
}

void TreeBuilder::close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  add(std::move(closed.node), closed.anchor);
}

void TreeBuilder::add(Node node, YAML::anchor_t anchor) {
  if (anchor != YAML::NullAnchor) {
    count_copies(node, YAML::Mark::null_mark());
    anchors_[anchor] = node;
  }
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (open_.back().node.kind == Node::Kind::kSequence) {
    open_.back().node.elements.push_back(std::move(node));
  } else {
    add_to_mapping(open_.back(), std::move(node));
  }
}

void TreeBuilder::add_to_mapping(Open& mapping, Node node) {
  if (mapping.key) {
    add_entry(mapping, *mapping.key, std::move(node));
    mapping.key.reset();
    return;
  }
  if (node.kind != Node::Kind::kScalar) {
    problems_.add({node.place, current_key(),
                   fmt::format("{} cannot be a key; a key is a name", describe_node(node)), ""});
    node.text = describe_node(node);
  }
  mapping.key = std::move(node);
}

void TreeBuilder::add_entry(Open& mapping, const Node& key, Node value) {
  const auto [known, is_new] = mapping.keys.try_emplace(key.text, key.place.line);
  if (!is_new) {
    const std::string where =
        known->second != 0 ? fmt::format(" (first in line {})", known->second) : "";
    problems_.add({key.place, current_key(), fmt::format("duplicate key{}", where), ""});
    return;
  }
  // yaml-cpp gives a missing value the position of the next key.
  if (value.kind == Node::Kind::kNull && value.place.line != key.place.line)
    value.place = key.place;
  if (key.kind == Node::Kind::kScalar)
    mapping.node.entries.push_back({key.text, std::move(value), key.place});
}

/// The first line, from 1 to `last`, that is indented with a tab; 0 if there is none.
int64_t line_indented_by_tab(const Source& source, int64_t last) {
  const auto count =
      std::min(source.lines.size(), static_cast<std::size_t>(std::max<int64_t>(last, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& line = source.lines[i];
    const std::size_t text = line.find_first_not_of(" \t");
    const bool says = text != std::string::npos && line[text] != '#';
    if (says && line.find('\t') < text) return static_cast<int64_t>(i) + 1;
  }
  return 0;
}

/// For a tab, yaml-cpp reports only that something is illegal, often in another line.
Problem broken_text(const YAML::Exception& error, const std::shared_ptr<const Source>& source,
                    const std::string& prefix) {
  const std::string message = "this is not valid YAML: ";
  const Place place = place_of(error.mark, source);
  const int64_t tabbed = line_indented_by_tab(*source, place.line);
  if (tabbed == 0) return {place, prefix, message + error.msg, ""};
  return {{source, tabbed, 1},
          prefix,
          message + "indent with blanks, not with a tab",
          "the parser says: " + error.msg};
}

Node parse(const std::shared_ptr<const Source>& source, std::string_view text,
           const std::string& prefix, Problems& problems) {
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    TreeBuilder first(source, prefix, problems);
    parser.HandleNextDocument(first);
    TreeBuilder second(source, prefix, problems);
    if (parser.HandleNextDocument(second)) {
      problems.add({second.start(), prefix,
                    "a second YAML document begins here; a config must be a single document", ""});
    }
    return first.take_root();
  } catch (const YAML::Exception& error) {
    problems.add(broken_text(error, source, prefix));
    return {};
  }
}

std::vector<std::string> split_lines(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(utf8::replace_invalid(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Node parse_file(const std::filesystem::path& name, std::string_view text, Problems& problems) {
  auto source = std::make_shared<Source>();
  source->name = name == "-" ? "standard input" : name.string();
  source->folder = std::filesystem::absolute(name).parent_path();
  source->lines = split_lines(text);
  Node root = parse(source, text, "", problems);
  if (!root.place.source) root.place.source = source;
  return root;
}

Node parse_override(const std::string& override, Problems& problems) {
  constexpr std::size_t kMostShown = 200;
  constexpr std::ptrdiff_t kMostSections = 100;
  auto source = std::make_shared<Source>();
  source->name = "--set " + excerpt(override, kMostShown);
  source->folder = std::filesystem::current_path();
  source->is_command_line = true;
  const Place place{source};
  const std::size_t equals = override.find('=');
  std::string key = override.substr(0, equals);
  const bool has_empty_name =
      key.empty() || key.front() == '.' || key.back() == '.' || key.find("..") != std::string::npos;
  const bool is_too_deep = std::ranges::count(key, '.') >= kMostSections;
  if (equals == std::string::npos || has_empty_name || is_too_deep) {
    problems.add({place, "", "expected section.key=value", ""});
    return {};
  }
  Node node = parse(source, std::string_view(override).substr(equals + 1), key, problems);
  node.place = place;
  while (!key.empty()) {
    const std::size_t dot = key.rfind('.');
    const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
    node = Node::mapping({{name, std::move(node), place}});
    node.place = place;
    node.one_of_several = true;
    key.resize(dot == std::string::npos ? 0 : dot);
  }
  return node;
}

}  // namespace attend::config
