#include "data/pair_terms.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/random.h"
#include "text/characters.h"
#include "text/term_marks.h"

namespace attend::data {
namespace {

constexpr int64_t kMostTerms = 3;  // in a line
constexpr int64_t kMostWords = 3;  // of a term

using Spans = std::vector<utf8::Span>;

bool is_of_term(char32_t code) {
  return text::is_letter(code) || (code >= U'0' && code <= U'9');
}

/// `span` without the characters at both ends that are no letters and digits.
utf8::Span core_of(std::string_view line, utf8::Span span) {
  while (span.begin < span.end) {
    const utf8::Character first = utf8::first_character(text::text_of(line, span));
    if (is_of_term(first.code)) break;
    span.begin += first.bytes;
  }
  while (span.begin < span.end) {
    const utf8::Character last = text::last_character(text::text_of(line, span));
    if (is_of_term(last.code)) break;
    span.end -= last.bytes;
  }
  return span;
}

bool can_be_term(std::string_view word) {
  return text::has_letter(word) && word.find("\u27E6") == std::string_view::npos;
}

/// The words of a pair that are linked to only each other: the target of each source word.
std::map<int64_t, int64_t> partners(std::string_view source, std::string_view target,
                                    const Spans& source_words, const Spans& target_words,
                                    const align::Links& links) {
  std::vector<int64_t> of_source(source_words.size(), 0), of_target(target_words.size(), 0);
  for (const align::Link& link : links) {
    ++of_source.at(static_cast<std::size_t>(link.source));
    ++of_target.at(static_cast<std::size_t>(link.target));
  }
  std::map<int64_t, int64_t> result;
  for (const align::Link& link : links) {
    const auto i = static_cast<std::size_t>(link.source), j = static_cast<std::size_t>(link.target);
    if (of_source[i] == 1 && of_target[j] == 1 &&
        can_be_term(text::text_of(source, source_words[i])) &&
        can_be_term(text::text_of(target, target_words[j])))
      result[link.source] = link.target;
  }
  return result;
}

/// Neighbouring words of both sides.
struct Term {
  int64_t source = 0;
  int64_t target = 0;
  int64_t words = 1;
};

/// Draws terms and takes their words out of `free`. They come from left to right.
std::vector<Term> drawn_terms(std::map<int64_t, int64_t> free, Random& random) {
  std::vector<Term> terms;
  const int64_t wanted = 1 + static_cast<int64_t>(random.below(kMostTerms));
  while (!free.empty() && std::ssize(terms) < wanted) {
    const auto place = static_cast<std::ptrdiff_t>(random.below(free.size()));
    const auto first = std::next(free.begin(), place);
    Term term{first->first, first->second};
    free.erase(first);
    const int64_t most = 1 + static_cast<int64_t>(random.below(kMostWords));
    while (term.words < most) {
      const auto next = free.find(term.source + term.words);
      if (next == free.end() || next->second != term.target + term.words) break;
      free.erase(next);
      ++term.words;
    }
    terms.push_back(term);
  }
  std::ranges::sort(terms, {}, &Term::source);
  return terms;
}

utf8::Span joined(const Spans& words, int64_t first, int64_t count) {
  const auto begin = static_cast<std::size_t>(first);
  return {words[begin].begin, words[begin + static_cast<std::size_t>(count) - 1].end};
}

/// Where a byte of the line is in the line with marks.
std::size_t moved(std::size_t byte, const text::ProtectedLine& marked) {
  const std::size_t before_term = text::term_symbols().front().size() + 1;  // and a blank
  std::size_t result = byte;
  for (const auto& [original, replaced] : marked.parts) {
    if (original.begin > byte) break;
    result = byte < original.end ? replaced.begin + before_term + (byte - original.begin)
                                 : replaced.end + (byte - original.end);
  }
  return result;
}

/// The places of the words of a line in the line with marks.
std::vector<int64_t> places_of(std::string_view line, const Spans& words,
                               const text::ProtectedLine& marked) {
  const Spans after = utf8::word_spans(marked.text);
  std::vector<int64_t> places;
  std::size_t place = 0;
  for (const utf8::Span& word : words) {
    const utf8::Span core = core_of(line, word);
    const std::size_t byte = moved(core.begin < core.end ? core.begin : word.begin, marked);
    while (after.at(place).end <= byte) ++place;
    places.push_back(static_cast<int64_t>(place));
  }
  return places;
}

}  // namespace

MarkedSource with_terms(std::string_view source, std::string_view target, const align::Links& links,
                        int64_t line) {
  const Spans source_words = utf8::word_spans(source), target_words = utf8::word_spans(target);
  Random random = stream(1, "terms", static_cast<uint64_t>(line));
  std::vector<text::TermMark> marks;
  for (const Term& term :
       drawn_terms(partners(source, target, source_words, target_words, links), random)) {
    const auto of_source = core_of(source, joined(source_words, term.source, term.words));
    const auto of_target = core_of(target, joined(target_words, term.target, term.words));
    marks.push_back({of_source, std::string(text::text_of(target, of_target))});
  }
  text::ProtectedLine result = text::with_marked_terms(source, marks);
  std::vector<int64_t> words = places_of(source, source_words, result);
  return {std::move(result.text), std::move(words)};
}

PlainLength::PlainLength(const text::Tokenizer& source) : blank_(source.find("\u2581")) {
  for (const std::string& symbol : text::term_symbols()) {
    if (const auto id = source.find(symbol)) symbols_.push_back(*id);
  }
}

std::size_t PlainLength::of(std::span<const text::TokenId> ids) const {
  std::size_t length = 0;
  bool is_translation = false, after_blank = false;
  for (const text::TokenId id : ids) {
    const auto symbol = std::ranges::find(symbols_, id);
    if (symbol != symbols_.end()) {
      if (after_blank) --length;
      is_translation = symbol == symbols_.begin() + 1;
    } else if (!is_translation) {
      ++length;
    }
    after_blank = !is_translation && id == blank_;
  }
  return length;
}

align::Links in_marked(const align::Links& links, const MarkedSource& source) {
  align::Links result;
  for (const align::Link& link : links)
    result.insert({source.words.at(static_cast<std::size_t>(link.source)), link.target});
  return result;
}

}  // namespace attend::data
