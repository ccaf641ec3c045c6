#include "text/term_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/characters.h"

namespace attend::text {
namespace {

constexpr const char* kBegin = "\u27E6<\u27E7";
constexpr const char* kBetween = "\u27E6=\u27E7";
constexpr const char* kEnd = "\u27E6>\u27E7";

}  // namespace

std::vector<std::string> term_symbols() {
  return {kBegin, kBetween, kEnd};
}

bool has_term_symbols(const Tokenizer& tokenizer) {
  return std::ranges::all_of(term_symbols(), [&](const std::string& symbol) {
    return tokenizer.find(symbol).has_value();
  });
}

Replacement marked(std::string_view line, const TermMark& term) {
  const auto source = text_of(line, term.span);
  return {term.span, fmt::format("{} {} {} {} {}", kBegin, source, kBetween, term.target, kEnd)};
}

ProtectedLine with_marked_terms(std::string_view line, std::span<const TermMark> terms) {
  std::vector<Replacement> all;
  for (const TermMark& term : terms) all.push_back(marked(line, term));
  return with_replacements(line, all);
}

}  // namespace attend::text
