#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "text/placeholders.h"
#include "text/protected_spans.h"

namespace attend::data {

/// The parts of a line that a placeholder may replace.
enum class ProtectedParts {
  kAll,
  kInsideWords,  ///< parts without blanks, so that word links keep their meaning
};

/// The sides of a pair with placeholders.
struct ProtectedPair {
  text::ProtectedLine source;
  text::ProtectedLine target;
};

/// Replaces what must not be translated by placeholders in training pairs (data.protect).
class PairProtection {
 public:
  explicit PairProtection(const text::ProtectOptions& options);

  /// True if the pair of line `line`, counted over all texts, is protected. Drawn with the
  /// probability options.share, whatever the run's seed, so that a token cache can be reused.
  [[nodiscard]] bool has(int64_t line) const;

  /// Replaces the parts that source and target have equally often, at least once, by placeholders:
  /// the same for equal parts, numbered by their order in the source (the copyable model of Luong
  /// et al. 2015, arXiv 1410.8206). What only one side has remains text, so that no placeholder is
  /// lost or invented in training. With empty options nothing changes.
  [[nodiscard]] ProtectedPair replaced(std::string_view source, std::string_view target,
                                       ProtectedParts parts = ProtectedParts::kAll) const;
  /// Does so in place.
  void protect(std::string& source, std::string& target,
               ProtectedParts parts = ProtectedParts::kAll) const;

 private:
  text::ProtectedSpans spans_;
  bool is_empty_;  // nothing is protected
  double share_;
};

}  // namespace attend::data
