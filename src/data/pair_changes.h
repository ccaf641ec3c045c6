#pragma once
#include <cstdint>
#include <string>

#include "align/links.h"
#include "data/options.h"
#include "data/pair_protection.h"

namespace attend::data {

/// The links of a training pair.
struct PairLinks {
  align::Links* guide = nullptr;        ///< that guide attention; null: none
  const align::Links* terms = nullptr;  ///< of terms to mark; null: none
};

/// Puts placeholders (data.protect) and marked terms (data.terms) into training pairs before they
/// are encoded, the same in every epoch.
class PairChanges {
 public:
  explicit PairChanges(const DataOptions& options)
      : protection_(options.protect),
        has_any_(!options.protect.empty() || !options.terms.empty()) {}

  /// False if no pair changes.
  [[nodiscard]] bool has_any() const { return has_any_; }

  /// Changes the pair of line `line`, counted over all texts; links.guide then refers to the
  /// changed source.
  void apply(std::string& source, std::string& target, const PairLinks& links, int64_t line) const;

 private:
  PairProtection protection_;
  bool has_any_;
};

}  // namespace attend::data
