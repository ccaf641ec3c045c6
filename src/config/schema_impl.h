#pragma once
// Member functions of Schema; only config/schema.h includes this file.
#include <algorithm>

#include "config/schema.h"
#include "core/closest_name.h"

namespace attend::config {

template <class Options>
template <class Holder, class Value, class Read>
void Schema<Options>::add_value(KeyInfo info, Value Holder::*member, Read read_value) {
  fields_.push_back(
      {std::move(info),
       [=](const Node& node, const std::string& key, Reading& reading, Options& options) {
         if (auto value = read_value(node, key, reading)) options.*member = std::move(*value);
       },
       [=](const Options& options) { return to_node(options.*member); }, nullptr});
}

template <class Options>
void Schema<Options>::flag(std::string name, bool Options::*member, std::string doc) {
  add_value({std::move(name), std::move(doc), "true or false", KeyInfo::Kind::kValue, {}}, member,
            read_flag);
}

template <class Options>
void Schema<Options>::integer(std::string name, int64_t Options::*member, Range<int64_t> range,
                              std::string doc) {
  add_value({std::move(name), std::move(doc), expected_integer(range), KeyInfo::Kind::kValue, {}},
            member, [range](const Node& node, const std::string& key, Reading& reading) {
              return read_integer(node, key, range, reading);
            });
}

template <class Options>
void Schema<Options>::number(std::string name, double Options::*member, Range<double> range,
                             std::string doc) {
  add_value({std::move(name), std::move(doc), expected_number(range), KeyInfo::Kind::kValue, {}},
            member, [range](const Node& node, const std::string& key, Reading& reading) {
              return read_number(node, key, range, reading);
            });
}

template <class Options>
template <class Holder, NamedEnum Enum>
void Schema<Options>::choice(std::string name, Enum Holder::*member, std::string doc) {
  const std::vector<std::string> choices = enum_names<Enum>();
  add_value(
      {std::move(name), std::move(doc), expected_choice(choices), KeyInfo::Kind::kValue, {}},
      member,
      [choices](const Node& node, const std::string& key, Reading& reading) -> std::optional<Enum> {
        const auto found = read_choice(node, key, choices, reading);
        return found ? enum_value<Enum>(*found) : std::nullopt;
      });
}

template <class Options>
template <class Holder, NamedEnum Enum>
void Schema<Options>::choices(std::string name, std::vector<Enum> Holder::*member,
                              std::string doc) {
  const std::vector<std::string> names = enum_names<Enum>();
  add_value({std::move(name),
             std::move(doc),
             "null, or a list of " + join(names),
             KeyInfo::Kind::kValue,
             {}},
            member,
            [names](const Node& node, const std::string& key,
                    Reading& reading) -> std::optional<std::vector<Enum>> {
              std::vector<Enum> values;
              for (const std::string& value : read_each(node, [&](const Node& one) {
                     return read_choice(one, key, names, reading);
                   }))
                values.push_back(*enum_value<Enum>(value));
              return values;
            });
}

template <class Options>
void Schema<Options>::text(std::string name, std::string Options::*member, std::string doc) {
  add_value({std::move(name), std::move(doc), "text or null", KeyInfo::Kind::kValue, {}}, member,
            read_text);
}

template <class Options>
void Schema<Options>::texts(std::string name, std::vector<std::string> Options::*member,
                            std::string doc) {
  add_value(
      {std::move(name), std::move(doc), "text, list of texts or null", KeyInfo::Kind::kValue, {}},
      member,
      [](const Node& node, const std::string& key,
         Reading& reading) -> std::optional<std::vector<std::string>> {
        return read_each(node, [&](const Node& one) { return read_text(one, key, reading); });
      });
}

template <class Options>
void Schema<Options>::path(std::string name, std::string Options::*member, std::string doc) {
  add_value({std::move(name), std::move(doc), "path or null", KeyInfo::Kind::kPath, {}}, member,
            read_path);
}

template <class Options>
void Schema<Options>::paths(std::string name, std::vector<std::string> Options::*member,
                            std::string doc) {
  add_value(
      {std::move(name), std::move(doc), "path, list of paths or null", KeyInfo::Kind::kPath, {}},
      member, read_paths);
}

template <class Options>
void Schema<Options>::named_paths(std::string name, std::vector<NamedPath> Options::*member,
                                  std::string doc) {
  fields_.push_back(
      {{std::move(name),
        std::move(doc),
        "path, mapping of names to paths, or null",
        KeyInfo::Kind::kPath,
        {}},
       [=](const Node& node, const std::string& key, Reading& reading, Options& options) {
         const auto paths = read_named_paths(node, key, reading);
         if (!paths) return;
         auto& known = options.*member;
         known = node.one_of_several ? with_changed(known, *paths) : *paths;
       },
       [=](const Options& options) { return to_node(options.*member); },
       nullptr});
}

template <class Options>
void Schema<Options>::path_or_word(std::string name, std::string Options::*member,
                                   const std::vector<std::string>& words, std::string doc) {
  add_value({std::move(name), std::move(doc), expected_path_or(words), KeyInfo::Kind::kPath, {}},
            member, [words](const Node& node, const std::string& key, Reading& reading) {
              return read_path_or_word(node, key, words, reading);
            });
}

template <class Options>
template <class Holder, class Section>
void Schema<Options>::section(std::string name, Section Holder::*member, std::string doc) {
  const auto inner = std::make_shared<const Schema<Section>>(schema_of<Section>());
  fields_.push_back(
      {{std::move(name), std::move(doc), "section", KeyInfo::Kind::kSection, inner->keys()},
       [=](const Node& node, const std::string& key, Reading& reading, Options& options) {
         if (node.kind == Node::Kind::kNull) {
           options.*member = Options().*member;
           forget_keys_below(key, reading);
         } else {
           inner->read(node, key, reading, options.*member);
         }
       },
       [=](const Options& options) { return inner->write(options.*member); },
       [=](const Options& options, const std::string& key, Reading& reading) {
         inner->check(options.*member, key, reading);
       }});
}

/// Reads a list of sections into `list`; see Schema::list.
template <class Section>
void read_list(const Schema<Section>& schema, const Node& node, const std::string& key,
               Reading& reading, std::vector<Section>& list) {
  const bool single = node.kind == Node::Kind::kMapping;
  const bool change_only_element = single && node.place.source->is_command_line && list.size() == 1;
  if (!change_only_element) {
    list.assign(single ? 1 : node.elements.size(), Section());
    forget_keys_below(key, reading);
  }
  if (single) {
    schema.read(node, key, reading, list.front());
  } else if (node.kind == Node::Kind::kScalar) {
    check_section_kind(node, key, schema.keys(), reading);
  }
  for (std::size_t i = 0; i < node.elements.size(); ++i) {
    schema.read(node.elements[i], list.size() == 1 ? key : indexed(key, i), reading, list[i]);
  }
}

template <class Options>
template <class Section>
void Schema<Options>::list(std::string name, std::vector<Section> Options::*member,
                           std::string doc) {
  const auto inner = std::make_shared<const Schema<Section>>(schema_of<Section>());
  fields_.push_back(
      {{std::move(name), std::move(doc), "section, list of sections or null", KeyInfo::Kind::kList,
        inner->keys()},
       [=](const Node& node, const std::string& key, Reading& reading, Options& options) {
         read_list(*inner, node, key, reading, options.*member);
       },
       [=](const Options& options) {
         std::vector<Node> elements;
         for (const Section& element : options.*member) elements.push_back(inner->write(element));
         return elements.size() == 1 ? elements.front() : Node::sequence(std::move(elements));
       },
       [=](const Options& options, const std::string& key, Reading& reading) {
         const auto& elements = options.*member;
         for (std::size_t i = 0; i < elements.size(); ++i) {
           inner->check(elements[i], elements.size() == 1 ? key : indexed(key, i), reading);
         }
       }});
}

template <class Options>
void Schema<Options>::rule(std::vector<std::string> keys,
                           std::function<std::string(const Options&)> problem) {
  rules_.push_back({std::move(keys),
                    std::move(problem),
                    {Purpose::train, Purpose::resume, Purpose::show, Purpose::use}});
}

template <class Options>
void Schema<Options>::requirement(std::vector<std::string> keys,
                                  std::function<std::string(const Options&)> problem) {
  rules_.push_back(
      {std::move(keys), std::move(problem), {Purpose::train, Purpose::resume, Purpose::use}});
}

template <class Options>
void Schema<Options>::idle_rule(std::vector<std::string> keys,
                                std::function<std::string(const Options&)> problem) {
  rules_.push_back({std::move(keys), std::move(problem), {Purpose::train, Purpose::show}});
}

template <class Options>
void Schema<Options>::training_rule(std::vector<std::string> keys,
                                    std::function<std::string(const Options&)> problem) {
  rules_.push_back({std::move(keys), std::move(problem), {Purpose::train, Purpose::resume}});
}

template <class Options>
std::vector<KeyInfo> Schema<Options>::keys() const {
  std::vector<KeyInfo> keys;
  for (const auto& field : fields_) keys.push_back(field.info);
  return keys;
}

template <class Options>
void Schema<Options>::read(const Node& node, const std::string& section, Reading& reading,
                           Options& options) const {
  if (!check_section_kind(node, section, keys(), reading)) return;
  for (const Node::Entry& entry : node.entries) {
    const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const auto& candidate) {
      return candidate.info.name == entry.key;
    });
    if (field == fields_.end()) {
      report_unknown_key(entry, section, keys(), reading);
      continue;
    }
    const std::string key = dotted(section, entry.key);
    reading.set_at[key] = entry.key_place;
    field->read(entry.value, key, reading, options);
  }
}

template <class Options>
Node Schema<Options>::write(const Options& options) const {
  std::vector<Node::Entry> entries;
  for (const auto& field : fields_) entries.push_back({field.info.name, field.write(options), {}});
  return Node::mapping(std::move(entries));
}

template <class Options>
void Schema<Options>::check(const Options& options, const std::string& section,
                            Reading& reading) const {
  for (const auto& field : fields_) {
    if (field.check) field.check(options, dotted(section, field.info.name), reading);
  }
  for (const Rule& rule : rules_) check_rule(rule, options, section, reading);
}

template <class Options>
void Schema<Options>::check_rule(const Rule& rule, const Options& options,
                                 const std::string& section, Reading& reading) const {
  if (std::ranges::count(rule.purposes, reading.purpose) == 0) return;
  for (const std::string& key : rule.keys) {
    if (reading.problems.touches(dotted(section, key))) return;
  }
  const std::string message = rule.problem(options);
  if (!message.empty())
    report_broken_rule(rule_keys(write(options), section, rule.keys), message, reading);
}

}  // namespace attend::config
