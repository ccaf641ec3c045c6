#include "app/terms/glossary.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "app/terms/word_characters.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/spans.h"
#include "core/utf8.h"
#include "text/characters.h"

namespace attend::app {
namespace {

constexpr const char* kExpectedTerm =
    "expected SOURCE, a tab and TARGET, with alternatives separated by \"|\", and optionally a tab "
    "and notes";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Removes the first part of `text` and the `separator` after it. Returns the part.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

/// A line word by word.
struct LineWords {
  std::vector<std::u32string> words;
  std::vector<utf8::Span> spans;
};

LineWords line_words(std::string_view text) {
  LineWords line;
  bool open = false;  // the last word may go on
  for (std::size_t byte = 0; byte < text.size();) {
    const auto [c, bytes] = utf8::first_character(text.substr(byte));
    const bool joins = is_of_word(c) && !is_unspaced(c);
    if (u_isUWhiteSpace(static_cast<UChar32>(c)) != 0 && c != U'\t') {
      open = false;
    } else if (open && joins) {
      line.words.back() += c;
      line.spans.back().end = byte + bytes;
    } else {
      line.words.emplace_back(1, c);
      line.spans.push_back({byte, byte + bytes});
      open = joins;
    }
    byte += bytes;
  }
  return line;
}

std::vector<std::u32string> folded_words(const std::vector<std::u32string>& words) {
  std::vector<std::u32string> result;
  for (const std::u32string& word : words) result.push_back(folded(word));
  return result;
}

bool has_inner_upper_case(const std::u32string& word) {
  return std::any_of(word.begin() + 1, word.end(),
                     [](char32_t c) { return u_isupper(static_cast<UChar32>(c)) != 0; });
}

GlossaryEntry parse_entry(const LineReader& lines, std::string_view line,
                          const PhraseCutter& cutter) {
  std::string_view rest = line;
  GlossaryEntry entry{.source = std::string(take_part(rest, '\t')), .targets = {}};
  std::string_view targets = take_part(rest, '\t');
  if (!has_words(entry.source) || targets.empty())
    throw DataError(lines.path(), lines.line_number(),
                    fmt::format("\"{}\"; {}", excerpt(line), kExpectedTerm));
  const auto refuse = [&](std::string_view text, const std::string& problem) {
    if (problem.empty()) return;
    throw DataError(lines.path(), lines.line_number(),
                    fmt::format("\"{}\" {}", excerpt(text), problem));
  };
  refuse(entry.source, symbol_problem(entry.source));
  while (!targets.empty()) {
    const std::string target(take_part(targets, '|'));
    refuse(target, cutter.problem(target));
    entry.targets.push_back(target);
  }
  return entry;
}

}  // namespace

bool has_words(std::string_view source) {
  const utf8::Span words = text::trimmed(source, {0, source.size()});
  return words.begin < words.end;
}

std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file,
                                         const PhraseCutter& cutter) {
  LineReader lines(file);
  std::vector<GlossaryEntry> entries;
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) entries.push_back(parse_entry(lines, *line, cutter));
  }
  warn_about_repairs(lines);
  if (entries.empty()) throw DataError(file, fmt::format("has no terms; {}", kExpectedTerm));
  return entries;
}

Glossary::Glossary(const std::vector<GlossaryEntry>& entries, const PhraseCutter& cutter) {
  for (const GlossaryEntry& entry : entries) {
    auto& targets = term_of(line_words(entry.source).words).targets;
    targets.insert(targets.end(), entry.targets.begin(), entry.targets.end());
  }
  for (Term& term : terms_) term.phrases = cutter.cut(term.targets);
  index_terms();
}

Glossary::Term& Glossary::term_of(const Words& words) {
  const bool case_counts = std::any_of(words.begin(), words.end(), has_inner_upper_case);
  Words key = case_counts ? words : folded_words(words);
  const auto [place, is_new] = places_.try_emplace({std::move(key), case_counts}, terms_.size());
  if (is_new) terms_.push_back({place->first.first, case_counts, {}, {}});
  return terms_[place->second];
}

void Glossary::index_terms() {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    Tree& tree = terms_[i].case_counts ? cased_ : folded_;
    std::size_t node = 0;
    for (const std::u32string& word : terms_[i].words) {
      const auto [next, is_new] = tree[node].next.try_emplace(word, tree.size());
      node = next->second;
      if (is_new) tree.emplace_back();
    }
    tree[node].term = i;
  }
}

const Glossary::Term* Glossary::longest_in(const Tree& tree, const Words& line,
                                           std::size_t place) const {
  const Term* longest = nullptr;
  std::size_t node = 0;
  for (; place < line.size(); ++place) {
    const auto next = tree[node].next.find(line[place]);
    if (next == tree[node].next.end()) break;
    node = next->second;
    if (tree[node].term) longest = &terms_[*tree[node].term];
  }
  return longest;
}

const Glossary::Term* Glossary::longest_at(const Words& line, const Words& folded_line,
                                           std::size_t place) const {
  const Term* const cased = longest_in(cased_, line, place);
  const Term* const folded = longest_in(folded_, folded_line, place);
  if (cased == nullptr || folded == nullptr) return cased == nullptr ? folded : cased;
  return cased->words.size() >= folded->words.size() ? cased : folded;
}

std::vector<Glossary::Found> Glossary::find(std::string_view line, std::size_t most) const {
  const auto [words, spans] = line_words(line);
  const Words folded_line = folded_words(words);
  std::vector<Found> found;
  for (std::size_t place = 0; place < words.size() && found.size() < most;) {
    const Term* const term = longest_at(words, folded_line, place);
    const std::size_t count = term == nullptr ? 1 : term->words.size();
    if (term != nullptr)
      found.push_back({term, {spans[place].begin, spans[place + count - 1].end}});
    place += count;
  }
  return found;
}

std::vector<std::vector<decode::Phrase>> Glossary::required_by(std::string_view line,
                                                               std::span<const utf8::Span> parts,
                                                               const PhraseCutter* of_line) const {
  std::vector<std::vector<decode::Phrase>> groups;
  for (const auto& [term, span] : find(line)) {
    const utf8::Span* const part = utf8::last_before(parts, span.begin + 1);
    if (part != nullptr && *part != span && span.end <= part->end) continue;
    groups.push_back(of_line == nullptr ? term->phrases : of_line->cut(term->targets));
  }
  return groups;
}

std::vector<text::TermMark> Glossary::marks(std::string_view line, int64_t most) const {
  const auto found = find(line, static_cast<std::size_t>(most) + 1);
  std::vector<text::TermMark> marks;
  if (std::ssize(found) > most) return marks;
  for (const auto& [term, span] : found) marks.push_back({span, term->targets.front()});
  return marks;
}

}  // namespace attend::app
