#pragma once
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"

namespace attend::config {

/// Declares keys of a section that are used only for some values of another key, the axis. Such a
/// key is refused if it differs from its default and the axis has a value that does not use it.
///
///   const config::KeysOf scores(schema, "score", &Options::score);
///   scores.add("layers", &Options::layers, {ScoreKind::deep});
template <class Options, NamedEnum Enum>
class KeysOf {
 public:
  /// `axis`: name of the key whose value is the member `choice`. Borrows the schema.
  KeysOf(Schema<Options>& schema, std::string axis, Enum Options::*choice)
      : schema_(schema), axis_(std::move(axis)), choice_(choice) {}

  /// `readers`: the values of the axis that use `key`. Requires: not empty.
  template <class Holder, class Value>
  void add(const std::string& key, Value Holder::*member, std::vector<Enum> readers) const {
    const auto problem = [key, member, readers = std::move(readers), axis = axis_,
                          choice = choice_](const Options& options) -> std::string {
      const Enum chosen = options.*choice;
      const bool is_read = std::ranges::count(readers, chosen) > 0;
      if (is_read || options.*member == Options().*member) return "";
      std::vector<std::string> names;
      for (const Enum reader : readers) names.emplace_back(enum_name(reader));
      return idle_message(key, axis, names, std::string(enum_name(chosen)));
    };
    schema_.idle_rule({key, axis_}, problem);
  }

 private:
  Schema<Options>& schema_;
  std::string axis_;
  Enum Options::*choice_;
};

}  // namespace attend::config
