#pragma once
#include <any>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/problems.h"
#include "config/range.h"

namespace attend::config {

/// A key, independent of the struct that holds its value: everything that printing needs.
struct KeyInfo {
  enum class Kind { kValue, kPath, kSection, kList };

  std::string name;
  std::string doc;       ///< meaning of the key
  std::string expected;  ///< its possible values: "whole number, at least 1"
  Kind kind = Kind::kValue;
  std::vector<KeyInfo> keys;            ///< of a section, or of every element of a list of sections
  std::vector<std::string> types = {};  ///< values of the key `type` that read it; empty: all
  Node fallback = {};                   ///< the default if `types` is not empty
};

/// What a config is read for. It decides which rules apply.
enum class Purpose {
  train,   ///< a new run
  resume,  ///< a resumed run, whose config may have keys without an effect
  show,    ///< to print it: keys without a default may be missing
  use,     ///< to use a trained model, whose config may have keys without an effect
};

/// A name that users may bring from another tool, for hints.
struct OtherName {
  std::string_view name;        ///< in lower case, with _ between words
  std::string_view key;         ///< our key or section, dotted
  std::string_view value = "";  ///< our value, if `name` is a value of `key` and not a key
};

/// The state of reading nodes into options.
struct Reading {
  Purpose purpose = Purpose::train;
  Problems problems;                         ///< everything wrong so far
  std::map<std::string, Place> set_at;       ///< where each dotted key was set
  Place whole;                               ///< place of problems that no set key causes
  std::vector<std::string> all_keys;         ///< dotted, for hints
  std::span<const OtherName> other_names;    ///< for hints
  std::map<std::string, std::any> families;  ///< what FamilySection keeps, by section

  /// Returns true if keys without an effect are refused.
  [[nodiscard]] bool is_new() const {
    return purpose == Purpose::train || purpose == Purpose::show;
  }
};

/// One key of a section, tied to the member of `Options` that holds its value.
template <class Options>
struct Field {
  KeyInfo info;
  /// Sets the member from a node, or reports why it cannot. `key` is the dotted key.
  std::function<void(const Node& node, const std::string& key, Reading& reading, Options& options)>
      read;
  /// The member's value as a node that read() accepts.
  std::function<Node(const Options& options)> write;
  /// Checks the rules of a section or of each section in a list; null for a plain value.
  std::function<void(const Options& options, const std::string& key, Reading& reading)> check;
};

}  // namespace attend::config
