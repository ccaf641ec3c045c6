#pragma once
#include <array>
#include <string>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"

namespace attend::text {

/// Parts of a line that a translation must contain as they are.
enum class ProtectedKind {
  all,
  numbers,
  urls,
  emails,
  files,
  printf,
  braces,
  variables,
  emoji,
  entities,
  escapes
};

constexpr auto name_table(ProtectedKind) {
  return std::to_array<NamedValue<ProtectedKind>>(
      {{ProtectedKind::all, "all", "all kinds"},
       {ProtectedKind::numbers, "numbers", "42, -1,000.5, 12:30, 2.0.1, 50%, 0xff"},
       {ProtectedKind::urls, "urls", "https://example.org/a?b, www.example.org"},
       {ProtectedKind::emails, "emails", "me@example.org"},
       {ProtectedKind::files, "files", "/etc/fstab, ~/a.txt, C:\\a, report.pdf"},
       {ProtectedKind::printf, "printf", "%s, %1$d, %-5.2f, %(name)s, %1"},
       {ProtectedKind::braces, "braces", "{0}, {name}, {{x}}"},
       {ProtectedKind::variables, "variables", "$name, ${name}, $(name), %NAME%"},
       {ProtectedKind::emoji, "emoji", "emoji, with all that belongs to one"},
       {ProtectedKind::entities, "entities", "&amp;, &#10;"},
       {ProtectedKind::escapes, "escapes", "\\n, \\t, \\u00e4"}});
}

/// The section `data.protect`: what must not be translated.
struct ProtectOptions {
  std::vector<ProtectedKind> kinds;
  std::vector<std::string> patterns;  ///< ICU's regular expressions, for further parts
  double share = 0.9;                 ///< of the training pairs

  /// True if nothing is protected.
  [[nodiscard]] bool empty() const { return kinds.empty() && patterns.empty(); }
  /// True if `kind` is protected.
  [[nodiscard]] bool has(ProtectedKind kind) const;
  bool operator==(const ProtectOptions&) const = default;
};

void describe(config::Schema<ProtectOptions>& schema);

}  // namespace attend::text
