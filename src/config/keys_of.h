#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"

namespace attend::config {

/// Keys of a section that not every choice of another of its keys reads: refused where they ask for
/// anything and a choice that does not read them is made.
///
///   const config::KeysOf scores(schema, "score", &Options::score);
///   scores.add("layers", &Options::layers, {"deep"});
template <class Options>
class KeysOf {
 public:
  /// `axis`: the key whose value `choice` is. Borrows the schema.
  KeysOf(Schema<Options>& schema, std::string axis, std::string Options::*choice)
      : schema_(schema), axis_(std::move(axis)), choice_(choice) {}

  /// `readers`: the choices that read it, at least one.
  template <class Holder, class Value>
  void add(const std::string& key, Value Holder::*member, std::vector<std::string> readers) const {
    const auto problem = [key, member, readers = std::move(readers), axis = axis_,
                          choice = choice_](const Options& options) -> std::string {
      const std::string& chosen = options.*choice;
      const bool read = std::find(readers.begin(), readers.end(), chosen) != readers.end();
      if (read || options.*member == Options().*member) return "";
      return fmt::format(
          "{0} is a setting of {1} {2} and would have no effect with {1} {3}; leave it out, or "
          "choose {1}: {4}",
          key, axis, fmt::join(readers, " or "), chosen, readers.front());
    };
    schema_.idle_rule({key, axis_}, problem);
  }

 private:
  Schema<Options>& schema_;
  std::string axis_;
  std::string Options::*choice_;
};

}  // namespace attend::config
