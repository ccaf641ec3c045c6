#pragma once
// The keys of a config section: a schema ties keys to the fields of a plain options struct.
// Parsing, validation, "did you mean", overrides and the printed reference all come from it.
//
//   struct AttentionOptions { ScoreKind score = ScoreKind::additive; double temperature = 1.0; };
//   void describe(config::Schema<AttentionOptions>& schema) {
//     schema.choice("score", &AttentionOptions::score, "How a query is compared with the keys.");
//     schema.number("temperature", &AttentionOptions::temperature, config::above(0.0),
//                   "Divides the energies.");
//   }
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/field.h"
#include "config/section.h"
#include "config/value.h"
#include "core/named_enum.h"

namespace attend::config {

/// The fields of `Options`, in the order in which they are printed. Filled by the function
/// `describe(Schema<Options>&)` in the namespace of `Options` (argument-dependent lookup).
template <class Options>
class Schema {
 public:
  void flag(std::string name, bool Options::*member, std::string doc);
  void integer(std::string name, int64_t Options::*member, Range<int64_t> range, std::string doc);
  void number(std::string name, double Options::*member, Range<double> range, std::string doc);
  /// A key whose value is the name of an enum value.
  template <class Holder, NamedEnum Enum>
  void choice(std::string name, Enum Holder::*member, std::string doc);
  /// A list of such names; a single name is accepted as a list of one, null as an empty list.
  template <class Holder, NamedEnum Enum>
  void choices(std::string name, std::vector<Enum> Holder::*member, std::string doc);
  /// Any string; null in YAML is the empty string.
  void text(std::string name, std::string Options::*member, std::string doc);
  /// A list of strings; a single one is accepted as a list of one, null as an empty list.
  void texts(std::string name, std::vector<std::string> Options::*member, std::string doc);
  /// A file or folder name, made absolute. A relative name starts from the config's folder, or in
  /// --set from the working directory. null is the empty string.
  void path(std::string name, std::string Options::*member, std::string doc);
  /// A list of paths; a single path is accepted as a list of one, null as an empty list.
  void paths(std::string name, std::vector<std::string> Options::*member, std::string doc);
  /// A path, or a mapping of names to paths, all made absolute; see read_named_paths.
  void named_paths(std::string name, std::vector<NamedPath> Options::*member, std::string doc);
  /// One of `words`, or else a path. null is the empty string.
  void path_or_word(std::string name, std::string Options::*member,
                    const std::vector<std::string>& words, std::string doc);
  /// A nested section with a describe() of its own. null gives all of its keys their defaults.
  template <class Holder, class Section>
  void section(std::string name, Section Holder::*member, std::string doc);
  /// A nested section whose key `type` selects one of several structs; see FamilySection.
  template <class... Families>
  void families(std::string name, std::variant<Families...> Options::*member, std::string doc,
                const std::string& type_doc);
  /// A list of sections; a single mapping is accepted as a list of one, null as an empty list. In
  /// --set, a mapping changes the only element of a list of one.
  template <class Section>
  void list(std::string name, std::vector<Section> Options::*member, std::string doc);

  /// A condition on several keys (dotted, below this section): `problem` returns what is wrong, or
  /// an empty string. It is reported at the first of `keys` that is set, naming all of them with
  /// their lines. It is not checked if one of them has an error of its own.
  void rule(std::vector<std::string> keys, std::function<std::string(const Options&)> problem);

  /// A rule that a key without a default must be set; not checked for Purpose::show.
  void requirement(std::vector<std::string> keys,
                   std::function<std::string(const Options&)> problem);

  /// A rule against keys without an effect; not checked in configs of existing runs and models.
  void idle_rule(std::vector<std::string> keys, std::function<std::string(const Options&)> problem);

  /// A rule that is checked only for training, new or resumed.
  void training_rule(std::vector<std::string> keys,
                     std::function<std::string(const Options&)> problem);

  [[nodiscard]] const std::vector<Field<Options>>& fields() const { return fields_; }
  /// The keys of all fields, without their values.
  [[nodiscard]] std::vector<KeyInfo> keys() const;

  /// Sets the keys that `node` holds and reports everything that is wrong. `section` is the dotted
  /// key of this section, empty at the top.
  void read(const Node& node, const std::string& section, Reading& reading, Options& options) const;
  /// All fields as a mapping.
  [[nodiscard]] Node write(const Options& options) const;
  /// Checks the rules of this section and those below.
  void check(const Options& options, const std::string& section, Reading& reading) const;

 private:
  struct Rule {
    std::vector<std::string> keys;
    std::function<std::string(const Options&)> problem;
    std::vector<Purpose> purposes;  // for which it is checked
  };

  template <class Holder, class Value, class Read>
  void add_value(KeyInfo info, Value Holder::*member, Read read);
  void check_rule(const Rule& rule, const Options& options, const std::string& section,
                  Reading& reading) const;

  std::vector<Field<Options>> fields_;
  std::vector<Rule> rules_;
};

/// The schema of `Options`, filled by its describe().
template <class Options>
[[nodiscard]] Schema<Options> schema_of() {
  Schema<Options> schema;
  describe(schema);
  return schema;
}

}  // namespace attend::config

#include "config/families.h"
#include "config/schema_impl.h"
