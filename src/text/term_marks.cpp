#include "text/term_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/characters.h"

namespace attend::text {
namespace {

constexpr const char* kBegin = "\u27E6<\u27E7";
constexpr const char* kBetween = "\u27E6=\u27E7";
constexpr const char* kEnd = "\u27E6>\u27E7";
constexpr std::string_view kOpen = "\u27E6";
constexpr std::string_view kClose = "\u27E7";

/// Calls `take` with the places of the `symbols` in `text`, from left to right, until it returns
/// false.
template <class Take>
void for_each_symbol(std::string_view text, const std::vector<std::string>& symbols, Take take) {
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos;) {
    const std::string_view rest = text.substr(at);
    const auto found = std::ranges::find_if(
        symbols, [rest](const std::string& symbol) { return rest.starts_with(symbol); });
    const std::size_t end = at + (found == symbols.end() ? kOpen.size() : found->size());
    if (found != symbols.end() && !take(utf8::Span{at, end})) return;
    at = text.find(kOpen, end);
  }
}

}  // namespace

std::vector<std::string> term_symbols() {
  return {kBegin, kBetween, kEnd};
}

std::string reserved_symbol(std::string_view text) {
  if (text.find(kOpen) == std::string_view::npos) return "";
  std::vector<std::string> symbols = placeholder_symbols();
  for (std::string& symbol : term_symbols()) symbols.push_back(std::move(symbol));
  std::string first;
  for_each_symbol(text, symbols, [&](const utf8::Span& span) {
    first = text_of(text, span);
    return false;
  });
  return first;
}

std::vector<Replacement> spelled_out_symbols(std::string_view line) {
  std::vector<Replacement> result;
  for_each_symbol(line, term_symbols(), [&](const utf8::Span& span) {
    const auto inside = text_of(line, {span.begin + kOpen.size(), span.end - kClose.size()});
    result.push_back({span, fmt::format("{} {} {}", kOpen, inside, kClose)});
    return true;
  });
  return result;
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
