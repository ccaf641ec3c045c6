#pragma once
#include <string>
#include <vector>

#include "config/document.h"

namespace attend::config {

/// One thing that is wrong with a config.
struct Problem {
  Place place;
  std::string key;      ///< dotted; empty if the text itself is broken
  std::string message;  ///< what was found and what was probably meant
  std::string detail;   ///< a further line: what was expected; may be empty
};

/// Collects everything that is wrong, so that it is reported at once.
class Problems {
 public:
  /// The most problems that are printed.
  static constexpr std::size_t kMost = 20;

  /// The most problems that are kept; further ones are counted. Each value of a file may have one.
  static constexpr std::size_t kMostKept = 1000;

  void add(Problem problem);
  [[nodiscard]] bool is_full() const { return problems_.size() == kMostKept; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  /// True if a problem concerns `key`, a key below it, a section that contains it or the text as a
  /// whole, or if kMostKept problems were reached.
  [[nodiscard]] bool touches(const std::string& key) const;

  /// Throws ConfigError with all problems in the order of the text, if there are any.
  void throw_if_any() const;

 private:
  std::vector<Problem> problems_;
  std::size_t unkept_ = 0;
};

/// Formats a problem: `file:line:column: error: key: message`, the line with a caret, the detail.
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace attend::config
