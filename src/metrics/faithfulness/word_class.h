#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/named_enum.h"

namespace attend::metrics {

/// Classes of target words: content words, function words with punctuation, and the end symbol.
enum class WordClass { content, function, end };

constexpr auto name_table(WordClass) {
  return std::to_array<NamedValue<WordClass>>({
      {WordClass::content, "content"},
      {WordClass::function, "function"},
      {WordClass::end, "end"},
  });
}

/// The form in which words are compared: lower-case, without punctuation at both ends. Empty for
/// a word of punctuation only. Requires: well-formed UTF-8.
[[nodiscard]] std::string bare_word(std::string_view word);

/// The function words of a text. All other words with a letter or digit are content words.
class FunctionWords {
 public:
  /// Compares bare_word() forms.
  explicit FunctionWords(const std::vector<std::string>& words);

  [[nodiscard]] WordClass class_of(std::string_view word) const;
  [[nodiscard]] std::size_t size() const { return words_.size(); }

 private:
  std::unordered_set<std::string> words_;
};

/// The languages with a built-in list, sorted.
[[nodiscard]] std::vector<std::string> function_word_languages();
/// The built-in list of a language: its articles, pronouns, prepositions, conjunctions, auxiliary
/// verbs and particles. Empty for another language.
[[nodiscard]] std::vector<std::string> function_words_of(std::string_view language);

/// Counts the words of a text, to take its most frequent ones as function words.
class WordCounts {
 public:
  /// Adds the words of a line. Requires: well-formed UTF-8.
  void add(std::string_view line);
  /// The `most` most frequent words, in descending frequency, then in byte order.
  [[nodiscard]] std::vector<std::string> most_frequent(std::size_t most) const;

 private:
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace attend::metrics
