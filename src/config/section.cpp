#include "config/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/print.h"
#include "core/closest_name.h"

namespace attend::config {

namespace {

// Keys elsewhere in the config that end in `name`: the user may have put it in the wrong section.
std::vector<std::string> same_name_elsewhere(const std::string& name,
                                             const std::vector<std::string>& all_keys) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> found;
  for (const std::string& key : all_keys) {
    if (key.ends_with("." + name) || key == name) found.push_back(key);
  }
  if (found.size() > kMost) found.clear();
  return found;
}

std::string hint(const Node::Entry& entry, const std::vector<std::string>& siblings,
                 const Reading& reading) {
  const std::string near = did_you_mean(entry.key, siblings);
  if (!near.empty()) return near;
  const auto elsewhere = same_name_elsewhere(entry.key, reading.all_keys);
  return elsewhere.empty() ? "" : fmt::format("; did you mean {}?", join(elsewhere, " or "));
}

const Node* find(const Node& section, std::string_view key) {
  const std::size_t dot = key.find('.');
  for (const Node::Entry& entry : section.entries) {
    if (entry.key != key.substr(0, dot)) continue;
    return dot == std::string_view::npos ? &entry.value : find(entry.value, key.substr(dot + 1));
  }
  return nullptr;
}

std::string origin(const std::string& key, const Reading& reading) {
  const auto place = reading.set_at.find(key);
  return place == reading.set_at.end() ? "default" : to_string(place->second);
}

}  // namespace

std::string dotted(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

bool is_below(const std::string& key, const std::string& section) {
  return key.starts_with(section) && key.size() > section.size() &&
         (key[section.size()] == '.' || key[section.size()] == '[');
}

std::string indexed(const std::string& key, std::size_t index) {
  return fmt::format("{}[{}]", key, index);
}

bool check_section_kind(const Node& node, const std::string& key, Reading& reading) {
  if (node.kind == Node::Kind::kMapping) return true;
  if (node.kind == Node::Kind::kNull) return false;
  reading.problems.add({node.place, key,
                        fmt::format("expected a section of keys, found {}", describe_node(node)),
                        ""});
  return false;
}

void forget_keys_below(const std::string& section, Reading& reading) {
  std::erase_if(reading.set_at, [&](const auto& set) { return is_below(set.first, section); });
}

void report_unknown_key(const Node::Entry& entry, const std::string& section,
                        const std::vector<KeyInfo>& known, Reading& reading) {
  std::vector<std::string> names;
  for (const KeyInfo& info : known) names.push_back(info.name);
  reading.problems.add(
      {entry.key_place, dotted(section, entry.key), "unknown key" + hint(entry, names, reading),
       fmt::format("keys {}: {}", section.empty() ? "here" : "of " + section, join(names))});
}

std::vector<RuleKey> rule_keys(const Node& section_node, const std::string& section,
                               const std::vector<std::string>& keys) {
  std::vector<RuleKey> found;
  for (const std::string& key : keys) {
    const Node* value = find(section_node, key);
    found.push_back({dotted(section, key), value == nullptr ? Node() : *value});
  }
  return found;
}

void report_broken_rule(const std::vector<RuleKey>& keys, const std::string& message,
                        Reading& reading) {
  const auto first = std::find_if(keys.begin(), keys.end(),
                                  [&](const RuleKey& k) { return reading.set_at.contains(k.key); });
  const Place place = first == keys.end() ? reading.whole : reading.set_at.at(first->key);
  std::vector<std::string> names, values;
  for (const RuleKey& key : keys) {
    names.push_back(key.key);
    values.push_back(
        fmt::format("{}: {} ({})", key.key, to_flow(key.value), origin(key.key, reading)));
  }
  reading.problems.add({place, join(names), message, join(values, "\n  ")});
}

}  // namespace attend::config
