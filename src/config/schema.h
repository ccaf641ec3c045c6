#pragma once
// What a section of the config may hold: a schema ties keys to the fields of a plain options struct. Parsing,
// validation, "did you mean", overrides and the printed reference all come from it.
//
//   struct AttentionOptions { std::string score = "additive"; double temperature = 1.0; };
//   void describe(config::Schema<AttentionOptions>& schema) {
//     schema.choice("score", &AttentionOptions::score, score_names(), "How a query is compared with the keys.");
//     schema.number("temperature", &AttentionOptions::temperature, config::above(0.0), "Divides the energies.");
//   }
#include <cstdint>
#include <limits>
#include <functional>
#include <string>
#include <vector>

#include "config/field.h"

namespace attend::config {

/// The fields of `Options`, in the order in which they are printed. `describe(Schema<Options>&)`, found beside
/// `Options` by argument-dependent lookup, fills it.
template <class Options>
class Schema {
 public:
  void flag(std::string name, bool Options::*member, std::string doc);
  void integer(std::string name, int64_t Options::*member, Range<int64_t> range, std::string doc);
  void number(std::string name, double Options::*member, Range<double> range, std::string doc);
  /// One of `choices`.
  void choice(std::string name, std::string Options::*member, std::vector<std::string> choices, std::string doc);
  /// Any string; null in YAML is the empty string.
  void text(std::string name, std::string Options::*member, std::string doc);
  /// A file or folder name, made absolute: relative to the config's folder, in --set to the working directory. null is
  /// the empty string.
  void path(std::string name, std::string Options::*member, std::string doc);
  /// A list of paths; a single path is accepted as a list of one, null as an empty list.
  void paths(std::string name, std::vector<std::string> Options::*member, std::string doc);
  /// A nested section with a describe() of its own.
  template <class Section>
  void section(std::string name, Section Options::*member, std::string doc);
  /// A list of sections; a single mapping is accepted as a list of one.
  template <class Section>
  void list(std::string name, std::vector<Section> Options::*member, std::string doc);

  /// A condition on several keys (dotted, below this section): `check` returns what is wrong, or an empty string.
  /// Reported at the first key that is set, naming all `keys` with their lines.
  void rule(std::vector<std::string> keys, std::function<std::string(const Options&)> check);

  [[nodiscard]] const std::vector<Field<Options>>& fields() const { return fields_; }

 private:
  std::vector<Field<Options>> fields_;
};

}  // namespace attend::config
