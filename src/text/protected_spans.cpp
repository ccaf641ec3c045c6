#include "text/protected_spans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unicode/regex.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/excerpt.h"
#include "core/log.h"
#include "text/icu_status.h"
#include "text/placeholders.h"
#include "text/term_marks.h"

namespace attend::text {
namespace {

using Pattern = std::shared_ptr<const icu::RegexPattern>;

/// The regular expression of a kind. All take time in proportion to the line: what can repeat is
/// possessive, and begins only where what stands before it could not begin it.
struct KindPattern {
  ProtectedKind kind;
  const char* pattern;
};

/// Letters and marks of scripts that have blanks between words. Others may be right beside a part.
#define ATTEND_SPACED_LETTERS \
  R"([[\p{L}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30FC]])"

/// The usual endings of file names.
#define ATTEND_FILE_ENDINGS                                                                    \
  R"((?:txt|md|pdf|ps|html?|xml|json|ya?ml|toml|ini|conf|cfg|csv|tsv|log|po|mo|pot|)"          \
  R"(png|jpe?g|gif|svg|ico|bmp|tiff?|webp|mp3|mp4|ogg|oga|ogv|wav|flac|avi|mkv|webm|mov|)"     \
  R"(zip|tar|gz|bz2|xz|zst|7z|rar|deb|rpm|iso|exe|dll|msi|bat|cmd|com|app|dmg|apk|jar|class|)" \
  R"(java|js|ts|css|py|rb|pl|pm|php|go|rs|c|cc|cpp|cxx|h|hpp|cs|swift|kt|lua|r|sql|sh|bash|)"  \
  R"(docx?|xlsx?|pptx?|odt|ods|odp|rtf|tex|bib|epub|so|o|a|la|bak|tmp|db|dat|bin|img|lock|)"   \
  R"(desktop|service|list|sources|ttf|otf|woff2?|key|pem|crt|asc|sig))"

constexpr KindPattern kKindPatterns[] = {
    // A sign, digits with single marks between them, and a per cent sign; not inside a word, and no
    // English ordinals.
    {ProtectedKind::numbers,
     R"((?<![)" ATTEND_SPACED_LETTERS R"(\p{Nd}_]|\p{Nd}[.,:])(?:0[xX]\p{AHex}++(?!\p{L})|)"
     R"((?:(?<![\p{Nd}\p{L}.,)])[-+\u2212])?\p{Nd}++(?:[.,:/'\u2019\u00A0\u202F-]\p{Nd}++)*+(?!(?:st|nd|rd|th)(?!\p{L})))"
     R"((?:[\u00A0\u202F]?[%\u2030](?![\p{L}\p{Nd}$(%]))?))"},
    // Up to a blank, quote or angle bracket, without marks at the end.
    {ProtectedKind::urls,
     R"((?<![)" ATTEND_SPACED_LETTERS
     R"(\p{Nd}+.-])(?:[A-Za-z][A-Za-z0-9+.-]{1,30}+://|www\.(?=[\p{L}\p{Nd}])))"
     R"((?:[^\s<>"'`|\\^\[\]{}()\u00AB\u00BB\u2018-\u201F\u3000-\u303F\uFF00-\uFFEF.,;:!?])"
     R"(|[.,;:!?]++(?=[\p{L}\p{Nd}/#%&=_~-])|\([^\s()]{0,200}+\))++)"},
    {ProtectedKind::emails,
     R"((?<![)" ATTEND_SPACED_LETTERS R"(\p{Nd}._%+-])[)" ATTEND_SPACED_LETTERS R"(\p{Nd}_%+-]++)"
     R"((?:\.[)" ATTEND_SPACED_LETTERS R"(\p{Nd}_%+-]++)*+@[)" ATTEND_SPACED_LETTERS R"(\p{Nd}-]++)"
     R"((?:\.[)" ATTEND_SPACED_LETTERS R"(\p{Nd}-]++)++)"},
    // Paths from a root, drives, and names with one of the usual endings. Of the endings in
    // capitals, those of one or two letters count only if they are no words ("THE END.GO ON").
    {ProtectedKind::files,
     R"((?<![\p{L}\p{M}\p{Nd}_<./~\\:-])(?:)"
     R"((?:~|\.\.?)?/(?:[\p{L}\p{M}\p{Nd}_@%+*~-]|\.(?=[\p{L}\p{Nd}_*])|/(?=[\p{L}\p{Nd}_.*@%+-]))++/?+|)"
     R"([A-Za-z]:\\(?:[\p{L}\p{M}\p{Nd}_@%+~$-]|\.(?=[\p{L}\p{Nd}_])|\\(?=[\p{L}\p{Nd}_.$%-]))*+\\?+|)"
     R"((?<![@+])(?:[\p{L}\p{Nd}_@+-]++[./\\](?=[\p{L}\p{Nd}_@+-]))*+(?<=[./\\]))"
     R"((?:(?=[\p{Lu}\p{Nd}]{3,8}+(?![\p{L}\p{M}\p{Nd}_]))(?i:)" ATTEND_FILE_ENDINGS
     R"()|GZ|XZ|7Z|MD|PS|PY|JS|)" ATTEND_FILE_ENDINGS R"()(?![\p{L}\p{M}\p{Nd}_])))"},
    // Conversions of C, Python, Qt and Boost; "100%-ig" and "50% of" have none.
    {ProtectedKind::printf,
     R"(%\([\p{L}\p{Nd}_.-]{1,64}+\)[-+#0]{0,4}+\d{0,3}+(?:\.\d{1,3}+)?[a-zA-Z])"
     R"(|%%|(?<!\d)%(?:\d{1,2}+%(?!\d)|L?\d{1,2}+(?![\d$.a-zA-Z]))"
     R"(|(?:\d{1,2}+\$)?[-+#0']{0,4}+(?:\d{1,3}+|\*(?:\d{1,2}+\$)?)?(?:\.(?:\d{1,3}+|\*)?)?)"
     R"((?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSpnm@]))"},
    {ProtectedKind::braces, R"(\{\{[^{}]{0,200}+\}\}|\{[^\s{}"]{0,200}+\})"},
    {ProtectedKind::variables,
     R"(\$\{[^\s{}]{1,200}+\}|\$\([A-Za-z_][\p{L}\p{Nd}_.-]{0,63}+\)|\$[A-Za-z_][A-Za-z0-9_]*+)"
     R"(|(?<![\p{Nd}%])%[A-Za-z_][A-Za-z0-9_]{1,63}+%)"},
    // Unicode Technical Standard 51, section 1.4.9, without digits that are only digits.
    {ProtectedKind::emoji,
     R"((?:\p{RI}\p{RI}|[0-9#*]\uFE0F?\u20E3|[\p{Emoji_Presentation}\p{Extended_Pictographic}]))"
     R"((?:\p{Emoji_Modifier}|\uFE0F\u20E3?|[\U000E0020-\U000E007E]{1,32}+\U000E007F)?)"
     R"((?:\u200D(?:\p{RI}\p{RI}|[\p{Emoji_Presentation}\p{Extended_Pictographic}]))"
     R"((?:\p{Emoji_Modifier}|\uFE0F\u20E3?)?)*+)"},
    {ProtectedKind::entities, R"(&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"},
    {ProtectedKind::escapes,
     R"(\\(?:[0-7]{3}|[abefnrtv0'"?\\]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}))"},
};

/// A line as ICU reads it.
struct Utf16Line {
  icu::UnicodeString text;
  std::vector<std::size_t> bytes;  // where each unit begins in the line, and the end

  explicit Utf16Line(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const auto [code, size] = utf8::first_character(line.substr(at));
      text.append(static_cast<UChar32>(code));
      bytes.resize(static_cast<std::size_t>(text.length()), at);
      at += size;
    }
    bytes.push_back(line.size());
  }
};

/// The work that finding the matches of a pattern in a line may take, in steps of 10,000
/// operations of ICU.
struct WorkLimit {
  int64_t most = 0;
  mutable int64_t steps = 0;  // ICU passes on only constant objects

  /// Counts a step of a search; false ends it. `limit`: a WorkLimit.
  static UBool U_CALLCONV count(const void* limit, int32_t) {
    const auto& one = *static_cast<const WorkLimit*>(limit);
    return ++one.steps <= one.most ? 1 : 0;
  }
};

Pattern compiled(const std::string& pattern, UErrorCode& status, UParseError& place) {
  const auto text = icu::UnicodeString::fromUTF8(pattern);
  return Pattern(icu::RegexPattern::compile(text, 0, place, status));
}

/// The matches of a pattern in a line, one after another.
class Matches {
 public:
  Matches(const icu::RegexPattern& pattern, const icu::UnicodeString& text) {
    constexpr int64_t kMostSteps = 200;       // of a short line: some tenths of a second
    constexpr int64_t kUnitsPerStep = 1'000;  // a step more for each
    UErrorCode status = U_ZERO_ERROR;
    matcher_.reset(pattern.matcher(text, status));
    check_icu(status);
    limit_->most = kMostSteps + text.length() / kUnitsPerStep;
    matcher_->setMatchCallback(&WorkLimit::count, limit_.get(), status);
    check_icu(status);
    find_from(0);
  }

  [[nodiscard]] int32_t begin() const { return begin_; }
  [[nodiscard]] int32_t end() const { return end_; }

  /// True if the pattern took too much work in the line, and finds nothing more in it.
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// Finds the first match at or after `place` that is not empty. At the end, it begins nowhere.
  void find_from(int32_t place) {
    while (begin_ < place && begin_ != kNowhere) {
      UErrorCode status = U_ZERO_ERROR;
      const bool found = place <= length() && matcher_->find(place, status) != 0;
      stopped_ = U_FAILURE(status) != 0;
      if (!found || stopped_) {
        begin_ = kNowhere;
        return;
      }
      begin_ = matcher_->start(status);
      end_ = matcher_->end(status);
      if (end_ > begin_) return;
      place = begin_ + 1;
      begin_ = -1;
    }
  }

  static constexpr int32_t kNowhere = std::numeric_limits<int32_t>::max();

 private:
  [[nodiscard]] int32_t length() const { return matcher_->input().length(); }

  std::unique_ptr<WorkLimit> limit_ = std::make_unique<WorkLimit>();  // `matcher_` has its address
  std::unique_ptr<icu::RegexMatcher> matcher_;
  int32_t begin_ = -1;
  int32_t end_ = -1;
  bool stopped_ = false;
};

/// Begins earlier, or is longer.
bool is_better(const Matches& a, const Matches& b) {
  return a.begin() != b.begin() ? a.begin() < b.begin() : a.end() > b.end();
}

std::string symbol_pattern() {
  return fmt::format("{}|{}", fmt::join(placeholder_symbols(), "|"),
                     fmt::join(term_symbols(), "|"));
}

}  // namespace

std::string pattern_problem(const std::string& pattern) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError place = {};
  (void)compiled(pattern, status, place);
  if (U_SUCCESS(status) != 0) return pattern.empty() ? "is empty; give a regular expression" : "";
  return fmt::format("is not a regular expression of ICU ({} at character {})", u_errorName(status),
                     place.offset);
}

struct ProtectedSpans::Impl {
  std::vector<Pattern> patterns;
  std::atomic<bool> has_warned = false;

  void add(const std::string& pattern) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError place = {};
    patterns.push_back(compiled(pattern, status, place));
    check_icu(status);
  }

  /// Warns once if a pattern was stopped in `line`.
  void warn_of_stopped(const std::vector<Matches>& matches, std::string_view line) {
    const auto stopped = std::ranges::find_if(matches, &Matches::stopped);
    if (stopped == matches.end() || has_warned.exchange(true)) return;
    std::string pattern;
    patterns[static_cast<std::size_t>(stopped - matches.begin())]->pattern().toUTF8String(pattern);
    log::warning(
        "data.protect.patterns: \"{}\" backtracks too long in a line that begins with \"{}\", and "
        "protects nothing more in it and in others like it; make what it repeats possessive (++, "
        "*+)",
        excerpt(pattern), excerpt(line));
  }
};

ProtectedSpans::ProtectedSpans(const ProtectOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->add(symbol_pattern());
  for (const auto& [kind, pattern] : kKindPatterns) {
    if (options.has(kind)) impl_->add(pattern);
  }
  for (const std::string& pattern : options.patterns) impl_->add(pattern);
}

ProtectedSpans::~ProtectedSpans() = default;
ProtectedSpans::ProtectedSpans(ProtectedSpans&&) noexcept = default;
ProtectedSpans& ProtectedSpans::operator=(ProtectedSpans&&) noexcept = default;

std::vector<utf8::Span> ProtectedSpans::find(std::string_view line) const {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  const Utf16Line utf16(line.substr(0, kMostBytes));
  std::vector<Matches> matches;
  for (const Pattern& pattern : impl_->patterns) matches.emplace_back(*pattern, utf16.text);
  std::vector<utf8::Span> spans;
  while (true) {
    const Matches& best = *std::ranges::min_element(matches, is_better);
    if (best.begin() == Matches::kNowhere) break;
    const int32_t end = best.end();
    spans.push_back({utf16.bytes[static_cast<std::size_t>(best.begin())],
                     utf16.bytes[static_cast<std::size_t>(end)]});
    for (Matches& one : matches) one.find_from(end);
  }
  impl_->warn_of_stopped(matches, line);
  return spans;
}

}  // namespace attend::text
