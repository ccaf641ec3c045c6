#include "text/protect_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/excerpt.h"
#include "text/protected_spans.h"

namespace attend::text {
namespace {

std::string wrong_pattern(const ProtectOptions& options) {
  for (const std::string& pattern : options.patterns) {
    const std::string problem = pattern_problem(pattern);
    if (!problem.empty()) return fmt::format("\"{}\" {}", excerpt(pattern), problem);
  }
  return "";
}

}  // namespace

bool ProtectOptions::has(ProtectedKind kind) const {
  return std::ranges::any_of(
      kinds, [kind](ProtectedKind one) { return one == kind || one == ProtectedKind::all; });
}

void describe(config::Schema<ProtectOptions>& schema) {
  schema.choices("kinds", &ProtectOptions::kinds,
                 "What is protected: numbers (42, -1,000.5, 12:30, 50%), urls, emails, files "
                 "(/etc/fstab, report.pdf), printf (%s, %1$d, %(name)s), braces ({0}, {{x}}), "
                 "variables ($name, ${name}), emoji, entities (&amp;), escapes (\\n). null: none.");
  schema.texts("patterns", &ProtectOptions::patterns,
               "Regular expressions (ICU) of further parts to protect, for example "
               "'[A-Z]+-\\d+'. Of parts that overlap, the one that begins first counts, then the "
               "longest.");
  schema.number("share", &ProtectOptions::share, config::in_range(0.01, 1.0),
                "Share of the training pairs that are protected, the same in every epoch; the "
                "others show the model the text itself.");
  schema.rule({"patterns"}, wrong_pattern);
}

}  // namespace attend::text
