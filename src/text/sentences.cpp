#include "text/sentences.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "text/characters.h"
#include "text/icu_status.h"

namespace attend::text {
namespace {

bool is_terminator(char32_t code) {
  return u_hasBinaryProperty(static_cast<UChar32>(code), UCHAR_S_TERM) != 0;
}

bool is_upper(char32_t code) {
  return u_isUUppercase(static_cast<UChar32>(code)) != 0;
}

bool is_lower(char32_t code) {
  return u_isULowercase(static_cast<UChar32>(code)) != 0;
}

bool is_kind(char32_t code, uint32_t kinds) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code)) & kinds) != 0;
}

std::string_view without_last_blanks(std::string_view text) {
  return text.substr(0, trimmed(text, {0, text.size()}).end);
}

/// `text` without the quotes and brackets at its end.
std::string_view without_closers(std::string_view text) {
  while (!text.empty()) {
    const auto last = last_character(text);
    if (!is_bracket_or_quote(last.code)) break;
    text.remove_suffix(last.bytes);
  }
  return text;
}

/// `text` from its first letter or digit on; empty if more than a few marks and blanks precede it.
std::string_view from_word(std::string_view text) {
  constexpr int kMostMarks = 16;
  for (int i = 0; i < kMostMarks && !text.empty(); ++i) {
    const auto first = utf8::first_character(text);
    if (u_isalnum(static_cast<UChar32>(first.code)) != 0) return text;
    text.remove_prefix(first.bytes);
  }
  return {};
}

/// The characters of `text` after the last blank, apostrophe or ideograph, without marks before
/// them.
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0) {
    const auto last = last_character(text.substr(0, begin));
    const bool apostrophe = last.code == U'\'' || last.code == U'’';
    if (apostrophe || is_blank(last.code) || is_written_without_blanks(last.code)) break;
    begin -= last.bytes;
  }
  return from_word(text.substr(begin));
}

/// The letters at the beginning of `text`; empty if a period follows them.
std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const auto next = utf8::first_character(text.substr(end));
    if (next.code == U'.') return {};
    if (!is_letter(next.code)) break;
    end += next.bytes;
  }
  return text.substr(0, end);
}

/// True for one or two digits and for Roman numerals.
bool is_ordinal(std::string_view word) {
  const bool digits =
      word.size() <= 2 && word.find_first_not_of("0123456789") == std::string_view::npos;
  return !word.empty() && (digits || word.find_first_not_of("IVX") == std::string_view::npos);
}

bool is_single_letter(std::string_view word) {
  if (word.empty()) return false;
  const auto first = utf8::first_character(word);
  return first.bytes == word.size() && is_letter(first.code);
}

/// True if the text ends in a mark after a blank, as in tokenized text ("He sleeps .").
bool ends_in_lone_mark(std::string_view text) {
  if (text.empty()) return false;
  const auto mark = last_character(text);
  if (!is_terminator(mark.code)) return false;
  text.remove_suffix(mark.bytes);
  return !text.empty() && is_blank(last_character(text).code);
}

bool begins_with_year(std::string_view text) {
  return text.size() > 4 && text[4] == ' ' &&
         text.find_first_not_of("0123456789") == std::size_t{4};
}

/// True if `after` says who spoke the quotation that `before` ends with: "「…。」と言った",
/// "“…？”他问。".
bool continues_quotation(std::string_view before, std::string_view after) {
  constexpr auto kClosers = std::to_array<std::string_view>({"」", "』", "”", "\""});
  constexpr auto kVerbs =
      std::to_array<std::string_view>({"说", "說", "问", "問", "道", "答", "写", "寫"});
  constexpr std::size_t kLongest = 40;  // bytes, for "他惊讶地问我"
  if (!std::ranges::any_of(kClosers, [&](auto mark) { return before.ends_with(mark); }))
    return false;
  if (after.starts_with("と") || after.starts_with("って")) return true;
  after = after.substr(0, kLongest);
  const std::size_t end = std::min(after.find("。"), after.find("，"));
  if (end == std::string_view::npos) return false;
  const std::string_view clause = after.substr(0, end);
  return std::ranges::any_of(
      kVerbs, [&](auto verb) { return clause.find(verb) != std::string_view::npos; });
}

/// The length of closing marks at the beginning of `text`, as in "Oui. » Non.", and of the blank
/// after them; 0 if other text follows. `open`: a straight quote is open, so the next one closes.
std::size_t lone_closers(std::string_view text, bool open) {
  const auto closes = [&](char32_t code) {
    return is_kind(code, U_GC_PE_MASK | U_GC_PF_MASK) || (open && (code == U'"' || code == U'\''));
  };
  std::size_t marks = 0;
  while (marks < text.size()) {
    const auto next = utf8::first_character(text.substr(marks));
    if (!closes(next.code)) break;
    marks += next.bytes;
  }
  if (marks == 0 || marks == text.size()) return marks;
  const auto next = utf8::first_character(text.substr(marks));
  return is_blank(next.code) ? marks + next.bytes : 0;
}

/// The length of an opening mark at the end of `text`, after a sentence mark: "。「", "？」「". ICU
/// takes such quotes for closing ones. `open`: a straight quote is open, so the next one closes.
std::size_t opener_after_mark(std::string_view text, bool open) {
  const auto last = last_character(text);
  const bool opens =
      is_kind(last.code, U_GC_PS_MASK | U_GC_PI_MASK) || (last.code == U'"' && !open);
  text.remove_suffix(last.bytes);
  text = without_closers(text);
  if (!opens || text.empty()) return 0;
  const auto mark = last_character(text);
  return is_terminator(mark.code) && is_written_without_blanks(mark.code) ? last.bytes : 0;
}

/// Adds boundaries that ICU misses: after lone marks in lower-case text; before a year, where ICU
/// continues the sentence if a lower-case letter follows the year; after "…".
void add_missed(std::string_view text, std::vector<std::size_t>& found) {
  for (std::size_t blank = text.find(' '); blank < text.size(); blank = text.find(' ', blank + 1)) {
    const std::string_view before = text.substr(0, blank);
    const std::string_view after = text.substr(blank + 1);
    if (after.empty()) break;
    const bool ellipsis = before.ends_with("…") && is_upper(utf8::first_character(after).code);
    const bool year = before.ends_with('.') && begins_with_year(after);
    if (ellipsis || year || ends_in_lone_mark(before)) found.push_back(blank + 1);
  }
}

bool has_capitals(std::string_view text) {
  while (!text.empty()) {
    const auto first = utf8::first_character(text);
    if (is_upper(first.code)) return true;
    text.remove_prefix(first.bytes);
  }
  return false;
}

/// The part of a sentence that has been read.
class Reading {
 public:
  explicit Reading(std::string_view text) : text_(text) {}

  void read_to(std::size_t end) {
    while (end_ < end) {
      const auto next = utf8::first_character(text_.substr(end_));
      letter_ = letter_ || is_letter(next.code);
      open_ = open_ != (next.code == U'"');
      end_ += next.bytes;
    }
  }
  void begin_next() {
    begin_ = end_;
    letter_ = false;
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::string_view text() const { return text_.substr(begin_, end_ - begin_); }
  [[nodiscard]] bool has_letter() const { return letter_; }
  /// True after an odd number of straight quotes.
  [[nodiscard]] bool in_quotes() const { return open_; }

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool letter_ = false;
  bool open_ = false;
};

/// Moves a boundary of ICU that is on the wrong side of quotes.
std::size_t moved(std::string_view text, std::size_t end, Reading& reading) {
  reading.read_to(end - last_character(text.substr(0, end)).bytes);
  end -= opener_after_mark(text.substr(0, end), reading.in_quotes());
  reading.read_to(end);
  return end + lone_closers(text.substr(end), reading.in_quotes());
}

}  // namespace

struct SentenceSplitter::Rules {
  explicit Rules(std::string_view language);

  [[nodiscard]] std::vector<std::size_t> candidates(std::string_view text) const;
  /// True if a sentence ends between `before` and `after`. `cased`: the text has capitals.
  [[nodiscard]] bool is_boundary(std::string_view before, std::string_view after, bool cased) const;
  /// True if the period between `before` and `after` ends a sentence. `begins`: `after` looks like
  /// the beginning of one.
  [[nodiscard]] bool period_ends(std::string_view before, std::string_view after,
                                 bool begins) const;

  SentenceWords words;
  std::unique_ptr<const icu::BreakIterator> breaks;
};

SentenceSplitter::Rules::Rules(std::string_view language) : words(language) {
  UErrorCode status = U_ZERO_ERROR;
  breaks.reset(icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  check_icu(status);
}

std::vector<std::size_t> SentenceSplitter::Rules::candidates(std::string_view text) const {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> source(
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status),
      &utext_close);
  const std::unique_ptr<icu::BreakIterator> iterator(breaks->clone());
  iterator->setText(source.get(), status);
  check_icu(status);
  std::vector<std::size_t> found;
  iterator->first();
  for (int32_t end = iterator->next(); end != icu::BreakIterator::DONE; end = iterator->next())
    found.push_back(static_cast<std::size_t>(end));
  add_missed(text, found);
  std::ranges::sort(found);
  return found;
}

bool SentenceSplitter::Rules::is_boundary(std::string_view before, std::string_view after,
                                          bool cased) const {
  before = without_last_blanks(before);
  const std::string_view next = from_word(after);
  const bool lower = !next.empty() && is_lower(utf8::first_character(next).code);
  if (lower && cased) return false;
  if (continues_quotation(before, after)) return false;
  const std::string_view core = without_closers(before);
  if (!core.ends_with('.') || ends_in_lone_mark(core)) return true;
  const bool begins =
      after.starts_with("¿") || after.starts_with("¡") || words.often_begins(first_word(next));
  return period_ends(core.substr(0, core.size() - 1), next, begins);
}

bool SentenceSplitter::Rules::period_ends(std::string_view before, std::string_view after,
                                          bool begins) const {
  const std::string_view word = last_word(before);
  if (is_single_letter(word)) {
    // "So am I." ends a sentence, "I. Newton" does not.
    before.remove_suffix(word.size());
    const std::string_view previous = last_word(without_last_blanks(before));
    return begins ||
           (word == "I" && !previous.empty() && is_lower(utf8::first_character(previous).code));
  }
  if (words.has_ordinals() && is_ordinal(word)) return begins;
  switch (words.period_after(word)) {
    case PeriodAfter::kAbbreviation:
      return false;
    case PeriodAfter::kMayEnd:
      return begins;
    case PeriodAfter::kNumbering:
      return after.empty() || u_isdigit(static_cast<UChar32>(after.front())) == 0;
    case PeriodAfter::kWord:
      break;
  }
  return true;
}

SentenceSplitter::SentenceSplitter(std::string_view language)
    : rules_(std::make_unique<const Rules>(language)) {}
SentenceSplitter::~SentenceSplitter() = default;
SentenceSplitter::SentenceSplitter(SentenceSplitter&&) noexcept = default;
SentenceSplitter& SentenceSplitter::operator=(SentenceSplitter&&) noexcept = default;

std::vector<utf8::Span> SentenceSplitter::sentences(std::string_view text) const {
  text = without_last_blanks(text);
  const bool cased = has_capitals(text);
  std::vector<utf8::Span> found;
  Reading reading(text);
  for (std::size_t end : rules_->candidates(text)) {
    if (end <= reading.begin()) continue;
    if (end < text.size()) end = moved(text, end, reading);
    reading.read_to(end);
    const bool last = end == text.size();
    if (!last &&
        !(reading.has_letter() && rules_->is_boundary(reading.text(), text.substr(end), cased)))
      continue;
    const utf8::Span sentence = trimmed(text, {reading.begin(), end});
    if (sentence.begin < sentence.end) found.push_back(sentence);
    reading.begin_next();
  }
  return found;
}

}  // namespace attend::text
