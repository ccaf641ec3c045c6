#include "config/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/closest_name.h"

namespace attend::config {

namespace {

constexpr std::size_t kWidth = 100;

bool is_plain_character(char c) {
  const bool alphanumeric =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("_./+-").find(c) != std::string_view::npos;
}

// True for words that some YAML readers do not read as text.
bool is_reserved(std::string text) {
  static constexpr std::array<std::string_view, 9> kWords = {"null", "true", "false", "yes", "no",
                                                             "on",   "off",  "y",     "n"};
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

bool is_plain(const std::string& text) {
  const char first = text.empty() ? '\0' : text[0];
  const bool like_number =
      (first >= '0' && first <= '9') || first == '.' || first == '+' || first == '-';
  const bool starts_path = text.starts_with("./") || text.starts_with("../");
  return !text.empty() && (!like_number || starts_path) && !is_reserved(text) &&
         std::all_of(text.begin(), text.end(), is_plain_character);
}

std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// A line or section to be written.
struct Item {
  const KeyInfo& info;
  const Node& value;
  const Node& fallback;  // the default
  std::string key;       // dotted
  std::size_t indent;
};

// Writes values, with or without comments.
class Printer {
 public:
  Printer(const std::filesystem::path& folder, const std::map<std::string, Place>& set_at,
          bool with_docs)
      : folder_(folder.empty() ? folder : std::filesystem::absolute(folder).lexically_normal()),
        set_at_(set_at),
        with_docs_(with_docs) {}

  void section(const Item& item);
  std::string take() { return std::move(out_); }

 private:
  void entry(const Item& item);
  void list(const Item& item);
  void documentation(const Item& item);
  void comment(const std::string& text, std::size_t indent);
  void comment_line(std::string_view text, std::size_t indent);
  [[nodiscard]] std::string origin(const std::string& key) const;
  [[nodiscard]] Node relative(Node path) const;
  void line(std::size_t indent, const std::string& text) {
    out_ += std::string(indent, ' ') + text + "\n";
  }

  std::filesystem::path folder_;
  const std::map<std::string, Place>& set_at_;
  bool with_docs_;
  std::string out_;
};

const Node* entry_of(const Node& section, const std::string& key) {
  const auto found = std::ranges::find(section.entries, key, &Node::Entry::key);
  return found == section.entries.end() ? nullptr : &found->value;
}

// Prints the keys of a section, at the indentation of `item`. Keys that the section's type does not
// use are printed only together with documentation, and with their defaults.
void Printer::section(const Item& item) {
  for (const KeyInfo& info : item.info.keys) {
    const Node* const value = entry_of(item.value, info.name);
    const Node* const fallback = entry_of(item.fallback, info.name);
    if (value == nullptr && !with_docs_) continue;
    if (with_docs_ && item.indent == 0) line(0, "");
    entry({info, value == nullptr ? info.fallback : *value,
           fallback == nullptr ? info.fallback : *fallback, dotted(item.key, info.name),
           item.indent});
  }
}

void Printer::entry(const Item& item) {
  if (with_docs_) documentation(item);
  const std::string begin = item.info.name + ":";
  const bool is_path = item.info.kind == KeyInfo::Kind::kPath;
  if (item.value.kind == Node::Kind::kMapping && !is_path) {
    line(item.indent, begin);
    section({item.info, item.value, item.fallback, item.key, item.indent + 2});
  } else if (item.info.kind == KeyInfo::Kind::kList && !item.value.elements.empty()) {
    line(item.indent, begin);
    list(item);
  } else {
    const Node value = is_path ? relative(item.value) : item.value;
    line(item.indent, begin + " " + to_flow(value) + origin(item.key));
  }
}

// Each element is a section whose first line begins with a dash instead of two spaces.
void Printer::list(const Item& item) {
  for (std::size_t i = 0; i < item.value.elements.size(); ++i) {
    const Node& element = item.value.elements[i];
    Printer inner(folder_, set_at_, false);
    inner.section({item.info, element, element, indexed(item.key, i), item.indent + 4});
    std::string text = inner.take();
    text[item.indent + 2] = '-';
    out_ += text;
  }
}

std::string Printer::origin(const std::string& key) const {
  const auto place = set_at_.find(key);
  if (place == set_at_.end()) return "";
  return place->second.source->is_command_line ? "  # --set" : "  # " + to_string(place->second);
}

void Printer::documentation(const Item& item) {
  comment(item.info.doc, item.indent);
  if (item.info.kind == KeyInfo::Kind::kSection) return;
  const std::string types =
      item.info.types.empty() ? "" : fmt::format("; type: {}", join(item.info.types));
  comment(fmt::format("{}; default: {}{}", item.info.expected, to_flow(item.fallback), types),
          item.indent);
  if (item.info.kind != KeyInfo::Kind::kList) return;
  for (const KeyInfo& key : item.info.keys) {
    comment(fmt::format("  {}: {} ({})", key.name, key.doc, key.expected), item.indent);
  }
}

// Writes a comment. Breaks lines at line feeds and where they would be too long.
void Printer::comment(const std::string& text, std::size_t indent) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    comment_line(std::string_view(text).substr(begin, end - begin), indent);
    begin = end + 1;
  }
}

// Wraps a long line. Lines that continue an indented line are indented by two more blanks.
void Printer::comment_line(std::string_view text, std::size_t indent) {
  const std::size_t own = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t hanging = own == 0 ? 0 : own + 2;
  std::string_view rest = text.substr(own);
  for (std::size_t blanks = own; !rest.empty(); blanks = hanging) {
    const std::size_t room = kWidth - std::min(kWidth / 2, indent + 2 + blanks);
    std::size_t end = rest.size() <= room ? rest.size() : rest.rfind(' ', room);
    if (end == std::string_view::npos || end == 0)
      end = std::min(rest.find(' ', room), rest.size());
    line(indent, "# " + std::string(blanks, ' ') + std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

Node Printer::relative(Node path) const {
  for (Node& element : path.elements) element = relative(std::move(element));
  for (Node::Entry& entry : path.entries) entry.value = relative(std::move(entry.value));
  if (folder_.empty() || path.kind != Node::Kind::kScalar) return path;
  const auto inside =
      std::filesystem::path(path.text).lexically_normal().lexically_relative(folder_);
  const bool is_inside = !inside.empty() && *inside.begin() != "..";
  if (is_inside) path.text = inside.string();
  return path;
}

// True if `a` and `b` are different families of one section (see FamilySection).
bool other_types(const Node& a, const Node& b) {
  const Node* const first = entry_of(a, "type");
  const Node* const second = entry_of(b, "type");
  return first != nullptr && second != nullptr && first->text != second->text;
}

bool same_keys(const Node& a, const Node& b) {
  return std::ranges::equal(a.entries, b.entries, {}, &Node::Entry::key, &Node::Entry::key);
}

void collect(const Node& a, const Node& b, const std::string& key,
             std::vector<std::string>& found) {
  const bool sections =
      a.kind == Node::Kind::kMapping && b.kind == Node::Kind::kMapping && same_keys(a, b);
  if (sections) {
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
      collect(a.entries[i].value, b.entries[i].value, dotted(key, a.entries[i].key), found);
    }
  } else if (other_types(a, b)) {
    found.push_back(dotted(key, "type"));
  } else if (to_flow(a) != to_flow(b)) {
    found.push_back(key);
  }
}

}  // namespace

std::string to_yaml(const Node& values, const std::vector<KeyInfo>& keys,
                    const std::filesystem::path& folder,
                    const std::map<std::string, Place>& set_at) {
  const KeyInfo top{"", "", "", KeyInfo::Kind::kSection, keys};
  Printer printer(folder, set_at, false);
  printer.section({top, values, values, "", 0});
  return printer.take();
}

std::string reference(const Node& values, const Node& defaults, const std::vector<KeyInfo>& keys) {
  const KeyInfo top{"", "", "", KeyInfo::Kind::kSection, keys};
  const std::map<std::string, Place> set_at;
  Printer printer({}, set_at, true);
  printer.section({top, values, defaults, "", 0});
  return printer.take().substr(1);  // without the empty line before the first key
}

std::vector<KeyInfo> keys_to(const std::string& key, const std::vector<KeyInfo>& keys) {
  const std::size_t dot = key.find('.');
  const auto found = std::ranges::find(keys, key.substr(0, dot), &KeyInfo::name);
  if (found == keys.end()) return {};
  if (dot == std::string::npos) return {*found};
  const std::vector<KeyInfo> below = keys_to(key.substr(dot + 1), found->keys);
  if (below.empty() || found->kind == KeyInfo::Kind::kList)
    return below.empty() ? below : std::vector{*found};
  KeyInfo above = *found;
  above.doc.clear();
  above.keys = below;
  return {above};
}

std::vector<std::string> differences(const Node& a, const Node& b) {
  std::vector<std::string> found;
  collect(a, b, "", found);
  return found;
}

std::string value_of(const Node& values, const std::string& key) {
  const std::vector<RuleKey> found = rule_keys(values, "", {key});
  return found.empty() ? "nothing" : to_flow(found.front().value);
}

std::string to_flow(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kScalar:
      return node.quoted && !is_plain(node.text) ? quote(node.text) : node.text;
    case Node::Kind::kSequence:
      for (const Node& element : node.elements) parts.push_back(to_flow(element));
      return fmt::format("[{}]", join(parts));
    case Node::Kind::kMapping:
      for (const Node::Entry& entry : node.entries)
        parts.push_back((is_plain(entry.key) ? entry.key : quote(entry.key)) + ": " +
                        to_flow(entry.value));
      return fmt::format("{{{}}}", join(parts));
  }
  return "";
}

}  // namespace attend::config
