#include "config/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/print.h"
#include "core/closest_name.h"

namespace attend::config {

namespace {

/// Dotted keys and sections that the user may have meant.
using Guesses = std::vector<std::string>;

void add_guess(std::string key, Guesses& guesses) {
  if (std::find(guesses.begin(), guesses.end(), key) == guesses.end())
    guesses.push_back(std::move(key));
}

// Finds keys that other tools name in one word: batch_size for batch.size.
Guesses one_word_for_more(const std::string& name, const std::string& section,
                          const std::vector<std::string>& all_keys) {
  Guesses found;
  for (const std::string& key : all_keys) {
    if (!is_below(key, section) && !section.empty()) continue;
    std::string joined = key.substr(section.empty() ? 0 : section.size() + 1);
    std::replace(joined.begin(), joined.end(), '.', '_');
    if (joined == name) add_guess(key, found);
  }
  return found;
}

// Finds keys that contain the name or are part of it: epochs, hidden_size.
Guesses longer_or_shorter(const std::string& name, const std::string& section,
                          const std::vector<std::string>& siblings) {
  constexpr std::size_t kShortest = 4;  // shorter names are part of too many words
  Guesses found;
  for (const std::string& sibling : siblings) {
    const bool contains = sibling.find(name) != std::string::npos && name.size() >= kShortest;
    const bool is_part = name.find(sibling) != std::string::npos && sibling.size() >= kShortest;
    if (contains || is_part) add_guess(dotted(section, sibling), found);
  }
  return found;
}

// Finds keys and sections of this name elsewhere: the user may have put it in the wrong section.
Guesses same_name_elsewhere(const std::string& name, const std::vector<std::string>& all_keys) {
  Guesses found;
  const std::string ending = "." + name;
  for (const std::string& key : all_keys) {
    for (std::size_t end = key.find('.');; end = key.find('.', end + 1)) {
      const std::string part = key.substr(0, end);  // a section, and finally the key
      if (part.ends_with(ending) || part == name) add_guess(part, found);
      if (end == std::string::npos) break;
    }
  }
  return found;
}

// Finds our keys for a name of another tool: those in the section, if there are any.
Guesses known_elsewhere(const std::string& name, const std::string& section,
                        const Reading& reading) {
  Guesses inside, outside;
  for (const OtherName& other : reading.other_names) {
    if (other.name != common_spelling(name) || !other.value.empty()) continue;
    const std::string key(other.key);
    add_guess(key, is_below(key, section) ? inside : outside);
  }
  return inside.empty() ? outside : inside;
}

std::string hint(const std::string& name, const std::string& section,
                 const std::vector<std::string>& siblings, const Reading& reading) {
  constexpr std::size_t kMost = 3;
  const Guesses known = known_elsewhere(name, section, reading);
  if (!known.empty()) return fmt::format("; did you mean {}?", join(known, " or "));
  const Guesses elsewhere = same_name_elsewhere(name, reading.all_keys);
  const auto near = closest_name(name, siblings);
  // A name that is right in another section is rarely a name with two mistakes.
  const bool moved = !elsewhere.empty() && near && edit_distance(name, *near) > 1;
  if (near && !moved) return did_you_mean(name, siblings);
  Guesses guesses = one_word_for_more(name, section, reading.all_keys);
  if (guesses.empty()) guesses = longer_or_shorter(name, section, siblings);
  if (guesses.size() + elsewhere.size() <= kMost) {
    for (const std::string& key : elsewhere) add_guess(key, guesses);
  }
  if (guesses.empty() || guesses.size() > kMost) return "";
  return fmt::format("; did you mean {}?", join(guesses, " or "));
}

std::vector<std::string> names_of(const std::vector<KeyInfo>& keys) {
  std::vector<std::string> names;
  for (const KeyInfo& info : keys) names.push_back(info.name);
  return names;
}

std::string list_of_keys(const std::string& section, const std::vector<std::string>& names) {
  return fmt::format("keys {}: {}", section.empty() ? "here" : "of " + section, join(names));
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

std::string common_spelling(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return name;
}

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

bool check_section_kind(const Node& node, const std::string& key, const std::vector<KeyInfo>& known,
                        Reading& reading) {
  if (node.kind == Node::Kind::kMapping) return true;
  if (node.kind == Node::Kind::kNull) return false;
  reading.problems.add({node.place, key,
                        fmt::format("expected a section of keys, found {}", describe_node(node)),
                        list_of_keys(key, names_of(known))});
  return false;
}

void forget_keys_below(const std::string& section, Reading& reading) {
  std::erase_if(reading.set_at, [&](const auto& set) { return is_below(set.first, section); });
  std::erase_if(reading.families, [&](const auto& kept) { return is_below(kept.first, section); });
}

void report_unknown_key(const Node::Entry& entry, const std::string& section,
                        const std::vector<KeyInfo>& known, Reading& reading) {
  if (reading.problems.is_full()) return reading.problems.add({});
  const std::vector<std::string> names = names_of(known);
  reading.problems.add({entry.key_place, dotted(section, entry.key),
                        "unknown key" + hint(entry.key, section, names, reading),
                        list_of_keys(section, names)});
}

std::string hint_at_key(const std::string& key, const std::vector<KeyInfo>& known,
                        const std::string& section, const Reading& reading) {
  const std::size_t dot = key.find('.');
  const std::string name = key.substr(0, dot);
  const auto found = std::ranges::find(known, name, &KeyInfo::name);
  if (found == known.end()) return hint(name, section, names_of(known), reading);
  if (dot == std::string::npos) return "";
  return hint_at_key(key.substr(dot + 1), found->keys, dotted(section, name), reading);
}

bool same_value(const Node& a, const Node& b) {
  return to_flow(a) == to_flow(b);
}

std::string idle_message(const std::string& key, const std::string& axis,
                         const std::vector<std::string>& readers, const std::string& chosen) {
  return fmt::format(
      "{0} is a setting of {1} {2} and would have no effect with {1} {3}; leave it out, or choose "
      "{1}: {4}",
      key, axis, join(readers, " or "), chosen, readers.front());
}

std::vector<RuleKey> rule_keys(const Node& section_node, const std::string& section,
                               const std::vector<std::string>& keys) {
  std::vector<RuleKey> found;
  for (const std::string& key : keys) {
    const Node* value = find(section_node, key);
    if (value != nullptr) found.push_back({dotted(section, key), *value});
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
