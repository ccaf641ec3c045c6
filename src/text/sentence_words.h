#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// What a period after a word says about the end of a sentence.
enum class PeriodAfter {
  kWord,          ///< it ends the sentence
  kAbbreviation,  ///< "Mr.": it does not
  kNumbering,     ///< "No.": it does not if a number follows
  kMayEnd,        ///< "etc.": it does if the next word often begins sentences
};

/// The languages with lists of words, by ISO 639-1 code.
[[nodiscard]] std::vector<std::string> sentence_languages();

/// The words of a language that tell where sentences end: abbreviations, and words that often begin
/// sentences.
class SentenceWords {
 public:
  /// A language without lists, or "", gets the words of all languages, without abbreviations that
  /// are words of another language.
  explicit SentenceWords(std::string_view language);

  /// `word`: the word before the period, without brackets or quotes at its beginning. The first
  /// letter may be upper case where the list has lower case.
  [[nodiscard]] PeriodAfter period_after(std::string_view word) const;
  [[nodiscard]] bool often_begins(std::string_view word) const;
  /// True if a period makes a number an ordinal ("3. Oktober").
  [[nodiscard]] bool has_ordinals() const { return ordinals_; }

 private:
  using Words = std::set<std::string, std::less<>>;

  Words abbreviations_;
  Words numberings_;
  Words may_end_;
  Words beginnings_;
  bool ordinals_ = false;
};

}  // namespace attend::text
