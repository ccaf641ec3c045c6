#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace attend::metrics {

/// Detects the script of a text (Unicode Standard Annex 24), whether the text separates words, and
/// the BLEU tokenizer that fits the text. Lines may be added one by one.
class Writing {
 public:
  /// The number of lines that suffices to judge a text.
  static constexpr int64_t kEnough = 1000;

  Writing() = default;
  /// Adds the first kEnough lines. Requires: well-formed UTF-8.
  explicit Writing(std::span<const std::string> lines);

  /// Adds a line. Requires: well-formed UTF-8.
  void add(std::string_view line);

  /// Mean number of words (split at whitespace) per non-blank line; 0 if all lines are blank.
  [[nodiscard]] double words_per_line() const;
  /// True if most lines are a single word, so that n-grams of words say little: words_per_line() is
  /// above 0 and below 1.5.
  [[nodiscard]] bool has_one_word_per_line() const;

  /// The tokenizer that fits the text: "13a" for scripts that separate words by whitespace, "zh"
  /// for Chinese, "ja-mecab" for Japanese (10 % kana or more) if has_mecab(), and "char" for Thai,
  /// Lao, Khmer, Burmese, Tibetan, ... Also "13a" if such a text is already split into words (2 or
  /// more per line, of fewer than 6 letters on average).
  [[nodiscard]] std::string tokenizer() const;
  /// The tokenizer to use instead of `name` if `name` splits at whitespace (13a, none or intl) and
  /// this text does not separate words: tokenizer(), or "char" if most lines are a single word. For
  /// zh and ja-mecab, which do not split scripts such as Thai, "char" for text in such a script.
  /// Empty if `name` fits, and for other tokenizers.
  [[nodiscard]] std::string better_than(std::string_view name) const;
  /// "Chinese", "Japanese", or Unicode's name of the most frequent script ("Thai", "Latin"); in a
  /// tie, of the first one in Unicode's order. "no letters" for a text without letters.
  [[nodiscard]] std::string name() const;

 private:
  [[nodiscard]] int64_t letters_without_spaces() const;
  [[nodiscard]] bool is_japanese() const;

  int64_t lines_ = 0;  // lines with words
  int64_t words_ = 0;
  int64_t letters_ = 0;
  std::map<int, int64_t> by_script_;  // letters by UScriptCode
};

}  // namespace attend::metrics
