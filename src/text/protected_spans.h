#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/protect_options.h"

namespace attend::text {

/// Why `pattern` is not a regular expression of ICU; empty if it is one.
[[nodiscard]] std::string pattern_problem(const std::string& pattern);

/// Finds the parts of lines that must not be translated. Thread-safe.
class ProtectedSpans {
 public:
  /// Requires: no pattern has a pattern_problem().
  explicit ProtectedSpans(const ProtectOptions& options);
  ~ProtectedSpans();
  ProtectedSpans(ProtectedSpans&&) noexcept;
  ProtectedSpans& operator=(ProtectedSpans&&) noexcept;

  /// The protected parts of a line, from left to right; none is empty, and they do not overlap. Of
  /// parts that overlap, the one that begins first counts, then the longest, then the first kind in
  /// the order of symbols (placeholder_symbols(), term_symbols()), ProtectedKind, patterns. Symbols
  /// in the text are always protected, so that they are not taken for placeholders and marks. Looks
  /// at the first MiB of a line. A pattern that takes more work than a line deserves, some tenths
  /// of a second, finds nothing more in it; the first such line gets a warning.
  [[nodiscard]] std::vector<utf8::Span> find(std::string_view line) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::text
