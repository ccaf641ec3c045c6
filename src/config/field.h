#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/problems.h"
#include "config/range.h"

namespace attend::config {

/// What is known of a key apart from the struct that holds it: all that printing needs.
struct KeyInfo {
  enum class Kind { kValue, kPath, kSection, kList };

  std::string name;
  std::string doc;       ///< what the key means
  std::string expected;  ///< what its value may be: "whole number, at least 1"
  Kind kind = Kind::kValue;
  std::vector<KeyInfo> keys;  ///< of a section, or of every element of a list of sections
};

/// What goes along while nodes are read into options: everything wrong so far, and where each key
/// was set last.
struct Reading {
  bool to_run = true;  ///< whether the config is to be run, so that its requirements must be met
  bool is_new = true;  ///< false: it was run before, when keys without an effect did it no harm
  Problems problems;
  std::map<std::string, Place> set_at;  ///< by dotted key
  Place whole;  ///< where a problem is reported that concerns no key that is set
  std::vector<std::string> all_keys;  ///< dotted, for hints
};

/// One key of a section, tied to the member of `Options` that holds its value.
template <class Options>
struct Field {
  KeyInfo info;
  /// Sets the member from a node, or reports why it cannot. `key` is the dotted key.
  std::function<void(const Node& node, const std::string& key, Reading& reading, Options& options)>
      read;
  /// The member's value as a node that read() would take.
  std::function<Node(const Options& options)> write;
  /// Checks the rules of the section or sections below; null for a plain value.
  std::function<void(const Options& options, const std::string& key, Reading& reading)> check;
};

}  // namespace attend::config
