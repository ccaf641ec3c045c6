#pragma once
// Functions for reading a section that do not depend on its struct.
#include <string>
#include <vector>

#include "config/document.h"
#include "config/field.h"

namespace attend::config {

/// Returns "section.name", or the name alone at the top level.
[[nodiscard]] std::string dotted(const std::string& section, const std::string& name);
/// Returns true if `key` lies in a section or list.
[[nodiscard]] bool is_below(const std::string& key, const std::string& section);
/// "key[2]".
[[nodiscard]] std::string indexed(const std::string& key, std::size_t index);

/// A name in lower case with _ between words: "Mini-Batch" is "mini_batch".
[[nodiscard]] std::string common_spelling(std::string name);

/// Returns true if `node` is a mapping, false if it is null (nothing is set). Reports anything
/// else.
bool check_section_kind(const Node& node, const std::string& key, const std::vector<KeyInfo>& known,
                        Reading& reading);

/// Forgets where the keys of a replaced section or list were set.
void forget_keys_below(const std::string& section, Reading& reading);

/// Reports a key that the section does not have, with the nearest name.
void report_unknown_key(const Node::Entry& entry, const std::string& section,
                        const std::vector<KeyInfo>& known, Reading& reading);

/// "; did you mean KEY?" for the first unknown name in `key`, which lies below `section`; empty if
/// there is none or nothing is near.
[[nodiscard]] std::string hint_at_key(const std::string& key, const std::vector<KeyInfo>& known,
                                      const std::string& section, const Reading& reading);

/// Returns true if both nodes print the same.
[[nodiscard]] bool same_value(const Node& a, const Node& b);

/// The message for a key that is set, but is used only if `axis` has one of the values `readers`.
[[nodiscard]] std::string idle_message(const std::string& key, const std::string& axis,
                                       const std::vector<std::string>& readers,
                                       const std::string& chosen);

/// A key that a broken rule names.
struct RuleKey {
  std::string key;  ///< dotted
  Node value;
};

/// Finds the values of `keys` (dotted, below `section`) in the section's node. Leaves out missing
/// keys.
[[nodiscard]] std::vector<RuleKey> rule_keys(const Node& section_node, const std::string& section,
                                             const std::vector<std::string>& keys);

/// Reports a broken rule at the first of `keys` that is set, with the value and the origin of each.
void report_broken_rule(const std::vector<RuleKey>& keys, const std::string& message,
                        Reading& reading);

}  // namespace attend::config
