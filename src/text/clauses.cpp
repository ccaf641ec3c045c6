#include "text/clauses.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "text/characters.h"
#include "text/icu_status.h"

namespace attend::text {
namespace {

/// Offsets in a sentence at which a part may end, in order.
using Places = std::vector<std::size_t>;

/// Offsets after clause marks and the closing quotes that follow them. In scripts with blanks, a
/// mark counts only before a blank, so that "3,5" and "10:30" stay whole.
Places clause_ends(std::string_view sentence) {
  constexpr std::u32string_view kBeforeBlanks = U",;:،؛-–";
  constexpr std::u32string_view kAnywhere = U"、，；：—―";
  Places places;
  bool mark = false;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto next = utf8::first_character(sentence.substr(at));
    const bool before_blank = kBeforeBlanks.find(next.code) != std::u32string_view::npos;
    if (mark && is_blank(next.code)) places.push_back(at);
    if (kAnywhere.find(next.code) != std::u32string_view::npos) places.push_back(at + next.bytes);
    mark = before_blank || (mark && is_bracket_or_quote(next.code));
    at += next.bytes;
  }
  return places;
}

Places blanks(std::string_view sentence) {
  Places places;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto next = utf8::first_character(sentence.substr(at));
    if (is_blank(next.code)) places.push_back(at);
    at += next.bytes;
  }
  return places;
}

/// ICU's word boundaries before letters, or all its character boundaries.
Places icu_places(std::string_view sentence, bool words) {
  UErrorCode status = U_ZERO_ERROR;
  const auto& root = icu::Locale::getRoot();
  const std::unique_ptr<icu::BreakIterator> breaks(
      words ? icu::BreakIterator::createWordInstance(root, status)
            : icu::BreakIterator::createCharacterInstance(root, status));
  const std::unique_ptr<UText, decltype(&utext_close)> source(
      utext_openUTF8(nullptr, sentence.data(), static_cast<int64_t>(sentence.size()), &status),
      &utext_close);
  if (U_SUCCESS(status) != 0) breaks->setText(source.get(), status);
  check_icu(status);
  Places places;
  breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    const auto place = static_cast<std::size_t>(end);
    if (place == sentence.size()) break;
    if (!words || is_letter(utf8::first_character(sentence.substr(place)).code))
      places.push_back(place);
  }
  return places;
}

/// Cuts one sentence. Finds the places of each kind when they are first needed.
class Cutter {
 public:
  Cutter(std::string_view sentence, const Fits& fits) : sentence_(sentence), fits_(fits) {}

  SentenceParts cut(std::size_t most) {
    SentenceParts result;
    if (fits_(sentence_)) return {.parts = {{0, sentence_.size()}}};
    while (begin_ < sentence_.size() && result.parts.size() < most) {
      const std::size_t end = end_of_part(result.cut_at);
      result.parts.push_back(trimmed(sentence_, {begin_, end}));
      begin_ = trimmed(sentence_, {end, sentence_.size()}).begin;
    }
    return result;
  }

 private:
  using Find = Places (*)(std::string_view);
  struct Kind {
    CutAt cut_at;
    Find find;
    std::optional<Places> places = {};
  };

  std::size_t end_of_part(CutAt& worst) {
    for (Kind& kind : kinds_) {
      if (!kind.places) {
        kind.places = kind.find(sentence_);
        kind.places->push_back(sentence_.size());
      }
      const auto end = longest_fit(*kind.places);
      if (!end) continue;
      if (*end < sentence_.size()) worst = std::max(worst, kind.cut_at);
      return *end;
    }
    worst = CutAt::kCharacters;
    return *std::ranges::upper_bound(*kinds_.back().places, begin_);
  }

  // A galloping search, then a binary search for the last place that fits. It tokenizes only a few
  // times as much text as the part has.
  [[nodiscard]] std::optional<std::size_t> longest_fit(const Places& places) const {
    const auto fits = [&](std::size_t place) { return fits_(trimmed_to(place)); };
    auto low = std::ranges::upper_bound(places, begin_);
    if (!fits(*low)) return std::nullopt;
    std::ptrdiff_t step = 1;
    auto high = low;
    do {
      low = high;
      high = places.end() - low > step ? low + step : places.end();
      step *= 2;
    } while (high != places.end() && fits(*high));
    while (high - low > 1) {
      const auto middle = low + (high - low) / 2;
      (fits(*middle) ? low : high) = middle;
    }
    return *low;
  }

  [[nodiscard]] std::string_view trimmed_to(std::size_t end) const {
    const utf8::Span part = trimmed(sentence_, {begin_, end});
    return text_of(sentence_, part);
  }

  std::string_view sentence_;
  const Fits& fits_;
  std::size_t begin_ = 0;
  std::array<Kind, 4> kinds_ = {
      {{CutAt::kClauses, clause_ends},
       {CutAt::kWords, blanks},
       {CutAt::kWords, [](std::string_view text) { return icu_places(text, true); }},
       {CutAt::kCharacters, [](std::string_view text) { return icu_places(text, false); }}}};
};

}  // namespace

SentenceParts cut_sentence(std::string_view text, const utf8::Span& span, const Fits& fits,
                           std::size_t most) {
  SentenceParts result = Cutter(text_of(text, span), fits).cut(most);
  for (utf8::Span& part : result.parts) part = {part.begin + span.begin, part.end + span.begin};
  return result;
}

}  // namespace attend::text
