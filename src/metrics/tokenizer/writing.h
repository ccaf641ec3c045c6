#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace attend::metrics {

/// What a text is written in, counted line by line, and the BLEU tokenizer that fits it. Scripts
/// are those of Unicode Standard Annex 24.
class Writing {
 public:
  /// This many lines are enough to judge a text.
  static constexpr int64_t kEnough = 1000;

  Writing() = default;
  /// Of the first kEnough lines. Requires: well-formed UTF-8.
  explicit Writing(std::span<const std::string> lines);

  /// Requires: well-formed UTF-8.
  void add(std::string_view line);

  /// Mean number of words between whitespace per line that has any; 0 without such lines.
  [[nodiscard]] double words_per_line() const;
  /// True if most lines are a single word, so that n-grams of words between whitespace say little:
  /// words_per_line() is above 0 and below 1.5.
  [[nodiscard]] bool has_one_word_per_line() const;

  /// The tokenizer for words as this text separates them: "13a" if whitespace does; else "zh" for
  /// Chinese, and "char" for Japanese (10 % kana or more), Thai, Lao, Khmer, Burmese, Tibetan, ...
  /// A text of these scripts whose words someone separated (2 or more per line, of fewer than 6
  /// characters on average) gives "13a" as well.
  [[nodiscard]] std::string tokenizer() const;
  /// The tokenizer to use instead of `name`, which compares words between whitespace (13a, none or
  /// intl), if this text has no such words: tokenizer(), or "char" if most lines are a single word.
  /// Empty if `name` fits, and for other tokenizers.
  [[nodiscard]] std::string better_than(std::string_view name) const;
  /// "Chinese", "Japanese", or Unicode's name of the most frequent script ("Thai", "Latin"); of
  /// equals, the first in Unicode's order. "no letters" for a text without letters.
  [[nodiscard]] std::string name() const;

 private:
  [[nodiscard]] int64_t letters_without_spaces() const;
  [[nodiscard]] bool is_japanese() const;

  int64_t lines_ = 0;  // that have words
  int64_t words_ = 0;
  int64_t letters_ = 0;
  std::map<int, int64_t> by_script_;  // letters by UScriptCode
};

}  // namespace attend::metrics
