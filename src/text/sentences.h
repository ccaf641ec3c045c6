#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "text/sentence_words.h"

namespace attend::text {

/// Finds the sentences of a text by the rules of Unicode Standard Annex 29 (ICU), and by words:
/// abbreviations, initials, ordinals, and words that often begin sentences. Also for scripts
/// without blanks, and for tokenized text ("He sleeps . She reads ."), in lower case too.
/// Thread-safe.
class SentenceSplitter {
 public:
  /// `language`: as SentenceWords. Throws std::runtime_error if ICU has no data.
  explicit SentenceSplitter(std::string_view language);
  ~SentenceSplitter();
  SentenceSplitter(SentenceSplitter&&) noexcept;
  SentenceSplitter& operator=(SentenceSplitter&&) noexcept;

  /// The sentences in order, each without the blanks around it. Together they are the text, apart
  /// from blanks (Unicode's White_Space). Requires: well-formed UTF-8.
  [[nodiscard]] std::vector<utf8::Span> sentences(std::string_view text) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace attend::text
