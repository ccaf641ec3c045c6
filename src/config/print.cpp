#include "config/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/closest_name.h"

namespace attend::config {

namespace {

using Kind = KeyInfo::Kind;

constexpr std::size_t kWidth = 100;

bool is_plain_character(char c) {
  const bool alphanumeric =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("_./+-").find(c) != std::string_view::npos;
}

// Words that some YAML reader takes for something else than text.
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

// Writes values, with or without comments.
class Printer {
 public:
  Printer(const std::filesystem::path& folder, bool with_docs)
      : folder_(folder.empty() ? folder : std::filesystem::absolute(folder).lexically_normal()),
        with_docs_(with_docs) {}

  void section(const Node& values, const Node& defaults, const std::vector<KeyInfo>& keys,
               std::size_t indent);
  std::string take() { return std::move(out_); }

 private:
  void entry(const KeyInfo& info, const Node& value, const Node& fallback, std::size_t indent);
  void list(const KeyInfo& info, const Node& value, std::size_t indent);
  void documentation(const KeyInfo& info, const Node& fallback, std::size_t indent);
  void comment(const std::string& text, std::size_t indent);
  [[nodiscard]] Node relative(Node path) const;
  void line(std::size_t indent, const std::string& text) {
    out_ += std::string(indent, ' ') + text + "\n";
  }

  std::filesystem::path folder_;
  bool with_docs_;
  std::string out_;
};

void Printer::section(const Node& values, const Node& defaults, const std::vector<KeyInfo>& keys,
                      std::size_t indent) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Node& fallback = i < defaults.entries.size() ? defaults.entries[i].value : Node();
    if (with_docs_ && indent == 0) line(0, "");
    entry(keys[i], values.entries[i].value, fallback, indent);
  }
}

void Printer::entry(const KeyInfo& info, const Node& value, const Node& fallback,
                    std::size_t indent) {
  if (with_docs_) documentation(info, fallback, indent);
  const bool is_mapping = value.kind == Node::Kind::kMapping;
  if (is_mapping) {
    line(indent, info.name + ":");
    section(value, fallback, info.keys, indent + 2);
  } else if (info.kind == Kind::kList && !value.elements.empty()) {
    list(info, value, indent);
  } else {
    line(indent, info.name + ": " + to_flow(info.kind == Kind::kPath ? relative(value) : value));
  }
}

// Each element is a section whose first line begins with a dash instead of two spaces.
void Printer::list(const KeyInfo& info, const Node& value, std::size_t indent) {
  line(indent, info.name + ":");
  for (const Node& element : value.elements) {
    const std::size_t begin = out_.size();
    Printer inner(folder_, false);
    inner.section(element, element, info.keys, indent + 4);
    out_ += inner.take();
    out_[begin + indent + 2] = '-';
  }
}

void Printer::documentation(const KeyInfo& info, const Node& fallback, std::size_t indent) {
  comment(info.doc, indent);
  if (info.kind == Kind::kSection) return;
  comment(fmt::format("{}; default: {}", info.expected, to_flow(fallback)), indent);
  if (info.kind != Kind::kList) return;
  for (const KeyInfo& key : info.keys)
    comment(fmt::format("  {}: {} ({})", key.name, key.doc, key.expected), indent);
}

void Printer::comment(const std::string& text, std::size_t indent) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t room = kWidth - std::min(kWidth / 2, indent + 2);
    std::size_t end = rest.size() <= room ? rest.size() : rest.rfind(' ', room);
    if (end == std::string_view::npos || end == 0)
      end = std::min(rest.find(' ', room), rest.size());
    line(indent, "# " + std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

Node Printer::relative(Node path) const {
  for (Node& element : path.elements) element = relative(std::move(element));
  if (folder_.empty() || path.kind != Node::Kind::kScalar) return path;
  const auto inside = std::filesystem::path(path.text).lexically_relative(folder_);
  const bool is_inside = !inside.empty() && *inside.begin() != "..";
  if (is_inside) path.text = inside.string();
  return path;
}

void collect(const Node& a, const Node& b, const std::string& key,
             std::vector<std::string>& found) {
  const bool sections = a.kind == Node::Kind::kMapping && b.kind == Node::Kind::kMapping;
  if (sections) {
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
      collect(a.entries[i].value, b.entries[i].value, dotted(key, a.entries[i].key), found);
    }
  } else if (to_flow(a) != to_flow(b)) {
    found.push_back(key);
  }
}

}  // namespace

std::string to_yaml(const Node& values, const std::vector<KeyInfo>& keys,
                    const std::filesystem::path& folder) {
  Printer printer(folder, false);
  printer.section(values, values, keys, 0);
  return printer.take();
}

std::string reference(const Node& values, const Node& defaults, const std::vector<KeyInfo>& keys) {
  Printer printer({}, true);
  printer.section(values, defaults, keys, 0);
  return printer.take().substr(1);
}

std::vector<std::string> differences(const Node& a, const Node& b) {
  std::vector<std::string> found;
  collect(a, b, "", found);
  return found;
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
        parts.push_back(entry.key + ": " + to_flow(entry.value));
      return fmt::format("{{{}}}", join(parts));
  }
  return "";
}

}  // namespace attend::config
