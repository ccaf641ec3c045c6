#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "config/section.h"
#include "core/closest_name.h"
#include "core/excerpt.h"

namespace attend::config {

namespace {

void fail(const Node& node, const std::string& key, Reading& reading, std::string message,
          const std::string& expected) {
  reading.problems.add({node.place, key, std::move(message), "expected: " + expected});
}

bool is_plain_scalar(const Node& node) {
  return node.kind == Node::Kind::kScalar && !node.quoted;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// True for the digits of a decimal whole number, with or without a sign.
bool looks_whole(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

// Reads all of `text` as a number. The error says whether it is too large or not a number.
template <class Number>
std::errc parse_number(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() + text.size() ? std::errc::invalid_argument
                                                                  : error;
}

template <class Number>
std::optional<Number> in_range_or_fail(Number number, std::errc error, const Node& node,
                                       const std::string& key, const Range<Number>& range,
                                       const std::string& expected, Reading& reading) {
  if (error == std::errc() && range.contains(number)) return number;
  fail(node, key, reading, fmt::format("{} is out of range", excerpt(node.text)), expected);
  return std::nullopt;
}

// "inf", "nan" and the like are numbers to from_chars() but text in YAML.
bool starts_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && (is_digit(text[0]) || text[0] == '.');
}

std::string with_limits(const std::string& what, const std::string& limits) {
  return limits.empty() ? what : what + ", " + limits;
}

/// Replaces a leading ~/ by the home folder. Shells do not replace it in configs and in --set.
std::string with_home(const std::string& path) {
  const char* const home = std::getenv("HOME");
  const bool starts_at_home = path == "~" || path.starts_with("~/");
  return home != nullptr && starts_at_home ? home + path.substr(1) : path;
}

std::string absolute_path(const std::string& path, const Node& node) {
  if (path.empty()) return path;
  const auto& folder = node.place.source->folder;
  auto absolute = (folder / with_home(path)).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();
  return absolute.string();
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
}

// Reports an invalid name or path.
bool check_named_path(const Node::Entry& entry, const std::string& key, Reading& reading) {
  const std::string expected = "names of letters, digits, _ and -, each with a path";
  if (!is_plain_name(entry.key)) {
    reading.problems.add({entry.key_place, key,
                          fmt::format("\"{}\" is not a valid name", excerpt(entry.key)),
                          "expected: " + expected});
    return false;
  }
  if (entry.value.kind == Node::Kind::kScalar && !entry.value.text.empty()) return true;
  fail(entry.value, key + "." + entry.key, reading,
       fmt::format("{} is not a path", describe_node(entry.value)), "path");
  return false;
}

}  // namespace

std::optional<bool> read_flag(const Node& node, const std::string& key, Reading& reading) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return is_plain_scalar(node) && std::find(words.begin(), words.end(), node.text) != words.end();
  };
  if (is_one_of({"true", "True", "TRUE"})) return true;
  if (is_one_of({"false", "False", "FALSE"})) return false;
  std::string message = fmt::format("{} is neither true nor false", describe_node(node));
  if (is_one_of({"yes", "Yes", "YES", "on", "On", "ON", "y", "Y", "1"}))
    message += "; did you mean true?";
  if (is_one_of({"no", "No", "NO", "off", "Off", "OFF", "n", "N", "0"}))
    message += "; did you mean false?";
  fail(node, key, reading, std::move(message), "true or false");
  return std::nullopt;
}

std::optional<int64_t> read_integer(const Node& node, const std::string& key,
                                    const Range<int64_t>& range, Reading& reading) {
  const std::string expected = expected_integer(range);
  if (!is_plain_scalar(node) || !looks_whole(node.text)) {
    fail(node, key, reading, fmt::format("{} is not a whole number", describe_node(node)),
         expected);
    return std::nullopt;
  }
  if (has_leading_zero(node.text)) {
    fail(node, key, reading,
         fmt::format("{} has a leading zero, which some tools read as octal", excerpt(node.text)),
         expected);
    return std::nullopt;
  }
  int64_t number = 0;
  const std::errc error = parse_number(node.text, number);
  return in_range_or_fail(number, error, node, key, range, expected, reading);
}

std::optional<double> read_number(const Node& node, const std::string& key,
                                  const Range<double>& range, Reading& reading) {
  const std::string expected = expected_number(range);
  double number = 0.0;
  std::errc error = std::errc::invalid_argument;
  if (is_plain_scalar(node) && starts_like_number(node.text))
    error = parse_number(node.text, number);
  if (error == std::errc::invalid_argument) {
    fail(node, key, reading, fmt::format("{} is not a number", describe_node(node)), expected);
    return std::nullopt;
  }
  return in_range_or_fail(number, error, node, key, range, expected, reading);
}

namespace {

/// A hint at the value that a name of another tool stands for, else at the nearest choice.
std::string hint_at_choice(const std::string& text, const std::string& key,
                           const std::vector<std::string>& choices, const Reading& reading) {
  const std::string name = common_spelling(text);
  for (const OtherName& other : reading.other_names) {
    const bool fits = other.name == name && other.key == key && !other.value.empty();
    if (fits) return fmt::format("; did you mean \"{}\"?", other.value);
  }
  return did_you_mean(text, choices);
}

}  // namespace

std::optional<std::string> read_choice(const Node& node, const std::string& key,
                                       const std::vector<std::string>& choices, Reading& reading) {
  if (node.kind == Node::Kind::kScalar &&
      std::find(choices.begin(), choices.end(), node.text) != choices.end()) {
    return node.text;
  }
  const std::string hint =
      node.kind == Node::Kind::kScalar ? hint_at_choice(node.text, key, choices, reading) : "";
  reading.problems.add({node.place, key,
                        fmt::format("unknown value {}{}", describe_node(node), hint),
                        "choices: " + join(choices)});
  return std::nullopt;
}

std::optional<std::string> read_text(const Node& node, const std::string& key, Reading& reading) {
  if (node.kind == Node::Kind::kScalar) return node.text;
  if (node.kind == Node::Kind::kNull) return "";
  fail(node, key, reading, fmt::format("{} is not text", describe_node(node)), "text or null");
  return std::nullopt;
}

std::vector<std::string> read_each(
    const Node& node, const std::function<std::optional<std::string>(const Node&)>& read_one) {
  std::vector<std::string> values;
  const auto add = [&](const Node& one) {
    if (auto value = read_one(one)) values.push_back(std::move(*value));
  };
  if (node.kind == Node::Kind::kSequence) {
    std::ranges::for_each(node.elements, add);
  } else if (node.kind != Node::Kind::kNull) {
    add(node);
  }
  return values;
}

std::optional<std::string> read_path(const Node& node, const std::string& key, Reading& reading) {
  if (node.kind == Node::Kind::kScalar) return absolute_path(node.text, node);
  if (node.kind == Node::Kind::kNull) return "";
  fail(node, key, reading, fmt::format("{} is not a path", describe_node(node)), "path or null");
  return std::nullopt;
}

std::optional<std::vector<std::string>> read_paths(const Node& node, const std::string& key,
                                                   Reading& reading) {
  std::vector<std::string> paths;
  if (node.kind == Node::Kind::kScalar) paths.push_back(absolute_path(node.text, node));
  for (const Node& element : node.elements) {
    if (element.kind == Node::Kind::kScalar) {
      paths.push_back(absolute_path(element.text, element));
    } else {
      fail(element, key, reading, fmt::format("{} is not a path", describe_node(element)),
           "list of paths");
    }
  }
  if (node.kind != Node::Kind::kMapping) return paths;
  fail(node, key, reading, fmt::format("{} is not a path", describe_node(node)),
       "path, list of paths or null");
  return std::nullopt;
}

std::optional<std::vector<NamedPath>> read_named_paths(const Node& node, const std::string& key,
                                                       Reading& reading) {
  if (node.kind == Node::Kind::kSequence ||
      (node.kind == Node::Kind::kMapping && node.entries.empty())) {
    fail(node, key, reading, fmt::format("{} is not a path", describe_node(node)),
         "path, mapping of names to paths, or null");
    return std::nullopt;
  }
  std::vector<NamedPath> paths;
  if (node.kind == Node::Kind::kScalar && !node.text.empty())
    paths.push_back({"", absolute_path(node.text, node)});
  for (const Node::Entry& entry : node.entries) {
    if (!check_named_path(entry, key, reading)) return std::nullopt;
    paths.push_back({entry.key, absolute_path(entry.value.text, entry.value)});
  }
  std::ranges::sort(paths, {}, &NamedPath::name);
  return paths;
}

std::vector<NamedPath> with_changed(std::vector<NamedPath> paths,
                                    const std::vector<NamedPath>& changed) {
  // Named paths replace a path without a name.
  std::erase_if(paths, [](const NamedPath& path) { return path.name.empty(); });
  for (const NamedPath& change : changed) {
    std::erase_if(paths, [&](const NamedPath& path) { return path.name == change.name; });
    paths.push_back(change);
  }
  std::ranges::sort(paths, {}, &NamedPath::name);
  return paths;
}

std::optional<std::string> read_path_or_word(const Node& node, const std::string& key,
                                             const std::vector<std::string>& words,
                                             Reading& reading) {
  const bool is_word = node.kind == Node::Kind::kScalar && std::ranges::count(words, node.text) > 0;
  return is_word ? node.text : read_path(node, key, reading);
}

std::string expected_integer(const Range<int64_t>& range) {
  return with_limits("whole number", to_string(range));
}

std::string expected_number(const Range<double>& range) {
  return with_limits("number", to_string(range));
}

std::string expected_choice(const std::vector<std::string>& choices) {
  return "one of " + join(choices);
}

std::string expected_path_or(const std::vector<std::string>& words) {
  return join(words) + ", or a path";
}

Node to_node(bool value) {
  return Node::scalar(value ? "true" : "false", false);
}

Node to_node(int64_t value) {
  return Node::scalar(fmt::format("{}", value), false);
}

Node to_node(double value) {
  return Node::scalar(fmt::format("{}", value), false);
}

Node to_node(const std::string& value) {
  return value.empty() ? Node() : Node::scalar(value, true);
}

Node to_node(const std::vector<std::string>& value) {
  if (value.empty()) return {};
  if (value.size() == 1) return to_node(value.front());
  std::vector<Node> elements;
  for (const std::string& element : value) elements.push_back(to_node(element));
  return Node::sequence(std::move(elements));
}

Node to_node(const std::vector<NamedPath>& value) {
  if (value.empty()) return {};
  if (value.size() == 1 && value.front().name.empty()) return to_node(value.front().path);
  std::vector<Node::Entry> entries;
  for (const NamedPath& path : value) entries.push_back({path.name, to_node(path.path), {}});
  return Node::mapping(std::move(entries));
}

}  // namespace attend::config
