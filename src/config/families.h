#pragma once
// A section whose key `type` selects one of several option structs, the families.
#include <algorithm>
#include <any>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "config/schema.h"

namespace attend::config {

/// A section whose key `type` selects one of several option structs, the families. Each has its own
/// describe() and a `static constexpr std::string_view kType`. The first family is the default.
///
/// A key belongs to each family that describes it, with the same kind and range in all of them.
/// While documents are read, every family keeps the values of its keys, and the last `type` selects
/// the family that is used, so the order of keys and overrides does not matter. A key that the
/// selected family lacks is refused if its value is not the default (see Schema::idle_rule).
template <class... Families>
class FamilySection {
 public:
  using Variant = std::variant<Families...>;

  FamilySection() : schemas_(schema_of<Families>()...) {}

  /// The key `type`, then the keys of all families, each once.
  [[nodiscard]] std::vector<KeyInfo> keys(const std::string& type_doc) const {
    KeyInfo type{"type", type_doc, expected_choice(names()), KeyInfo::Kind::kValue, {}, {}, {}};
    type.fallback = Node::scalar(names().front(), true);
    std::vector<KeyInfo> all{std::move(type)};
    for_each([&]<class Family>(const Schema<Family>& schema) { add_keys(schema, all); });
    return all;
  }

  void read(const Node& node, const std::string& section, Reading& reading,
            Variant& options) const {
    if (node.kind == Node::Kind::kNull) {
      options = Variant();
      reading.families.erase(section);
      forget_keys_below(section, reading);
      return;
    }
    const std::vector<KeyInfo> known = keys("");
    if (!check_section_kind(node, section, known, reading)) return;
    Kept& kept = kept_of(section, reading, options);
    for (const Node::Entry& entry : node.entries) {
      if (entry.key == "type") read_type(entry, section, reading, kept);
    }
    for (const Node::Entry& entry : node.entries) {
      if (entry.key != "type") read_key(entry, section, known, reading, kept);
    }
    select(kept, options);
  }

  [[nodiscard]] Node write(const Variant& options) const {
    Node node = std::visit(
        [&]<class Family>(const Family& family) { return schema<Family>().write(family); },
        options);
    node.entries.insert(node.entries.begin(),
                        {"type", Node::scalar(names()[options.index()], true), {}});
    return node;
  }

  void check(const Variant& options, const std::string& section, Reading& reading) const {
    std::visit([&]<class Family>(
                   const Family& family) { schema<Family>().check(family, section, reading); },
               options);
    const auto found = reading.families.find(section);
    if (found == reading.families.end() || !reading.is_new()) return;
    const auto& kept = std::any_cast<const Kept&>(found->second);
    const std::vector<KeyInfo> known = keys("");
    for (const KeyInfo& info : known) check_idle(info, kept, options, section, reading);
  }

 private:
  struct Kept {
    std::tuple<Families...> families;
    std::size_t selected = 0;
  };

  [[nodiscard]] static std::vector<std::string> names() {
    return {std::string(Families::kType)...};
  }

  template <class Family>
  [[nodiscard]] const Schema<Family>& schema() const {
    return std::get<Schema<Family>>(schemas_);
  }

  template <class Visit>
  void for_each(Visit visit) const {
    (visit(schema<Families>()), ...);
  }

  template <class Family>
  [[nodiscard]] static const Field<Family>* find(const Schema<Family>& schema,
                                                 const std::string& name) {
    const auto& fields = schema.fields();
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& field) { return field.info.name == name; });
    return found == fields.end() ? nullptr : &*found;
  }

  template <class Family>
  static void add_keys(const Schema<Family>& schema, std::vector<KeyInfo>& all) {
    const Family defaults;
    for (const auto& field : schema.fields()) {
      auto known = std::find_if(all.begin(), all.end(),
                                [&](const KeyInfo& info) { return info.name == field.info.name; });
      if (known == all.end()) known = all.insert(all.end(), field.info);
      known->types.emplace_back(Family::kType);
      if (known->types.size() == 1) known->fallback = field.write(defaults);
    }
  }

  [[nodiscard]] static Kept& kept_of(const std::string& section, Reading& reading,
                                     const Variant& options) {
    std::any& kept = reading.families[section];
    if (!kept.has_value()) {
      Kept fresh;
      fresh.selected = options.index();
      std::visit(
          [&]<class Family>(const Family& family) { std::get<Family>(fresh.families) = family; },
          options);
      kept = std::move(fresh);
    }
    return std::any_cast<Kept&>(kept);
  }

  static void read_type(const Node::Entry& entry, const std::string& section, Reading& reading,
                        Kept& kept) {
    const std::string key = dotted(section, entry.key);
    reading.set_at[key] = entry.key_place;
    const std::vector<std::string> choices = names();
    const auto value = read_choice(entry.value, key, choices, reading);
    if (!value) return;
    kept.selected = static_cast<std::size_t>(std::find(choices.begin(), choices.end(), *value) -
                                             choices.begin());
  }

  /// Every family that has the key reads it; only the first one reports errors.
  void read_key(const Node::Entry& entry, const std::string& section,
                const std::vector<KeyInfo>& known, Reading& reading, Kept& kept) const {
    const std::string key = dotted(section, entry.key);
    bool is_known = false;
    for_each([&]<class Family>(const Schema<Family>& schema) {
      const Field<Family>* const field = find(schema, entry.key);
      if (field == nullptr) return;
      Reading silent;
      if (!is_known) reading.set_at[key] = entry.key_place;
      field->read(entry.value, key, is_known ? silent : reading, std::get<Family>(kept.families));
      is_known = true;
    });
    if (!is_known) report_unknown_key(entry, section, known, reading);
  }

  static void select(const Kept& kept, Variant& options) {
    std::size_t index = 0;
    const auto take = [&](const auto& family) {
      if (index++ == kept.selected) options = family;
    };
    (take(std::get<Families>(kept.families)), ...);
  }

  /// Reports the key `info` if it is not the default and the selected family does not read it.
  void check_idle(const KeyInfo& info, const Kept& kept, const Variant& options,
                  const std::string& section, Reading& reading) const {
    const std::string key = dotted(section, info.name), type = dotted(section, "type");
    const std::string selected = names()[options.index()];
    const bool is_read = info.name == "type" || std::ranges::count(info.types, selected) > 0;
    if (is_read || !reading.set_at.contains(key)) return;
    if (reading.problems.touches(key) || reading.problems.touches(type)) return;
    const Node value = value_of(info, kept);
    if (same_value(value, info.fallback)) return;
    report_broken_rule({{key, value}, {type, Node::scalar(selected, true)}},
                       idle_message(info.name, "type", info.types, selected), reading);
  }

  /// The value that the first family with the key keeps.
  [[nodiscard]] Node value_of(const KeyInfo& info, const Kept& kept) const {
    Node value;
    for_each([&]<class Family>(const Schema<Family>& schema) {
      if (Family::kType != info.types.front()) return;
      value = find(schema, info.name)->write(std::get<Family>(kept.families));
    });
    return value;
  }

  std::tuple<Schema<Families>...> schemas_;
};

template <class Options>
template <class... Families>
void Schema<Options>::families(std::string name, std::variant<Families...> Options::*member,
                               std::string doc, const std::string& type_doc) {
  const auto inner = std::make_shared<const FamilySection<Families...>>();
  fields_.push_back({{std::move(name),
                      std::move(doc),
                      "section",
                      KeyInfo::Kind::kSection,
                      inner->keys(type_doc),
                      {},
                      {}},
                     [=](const Node& node, const std::string& key, Reading& reading,
                         Options& options) { inner->read(node, key, reading, options.*member); },
                     [=](const Options& options) { return inner->write(options.*member); },
                     [=](const Options& options, const std::string& key, Reading& reading) {
                       inner->check(options.*member, key, reading);
                     }});
}

}  // namespace attend::config
