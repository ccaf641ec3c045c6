#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"
#include "text/tokenizer.h"

namespace attend::data {

/// A source whose terms are marked.
struct MarkedSource {
  std::string text;
  std::vector<int64_t> words;  ///< the place, in `text`, of each word of the source
};

/// Marks up to three terms and their translations in the source of a training pair (data.terms):
/// drawn, by `line` alone, from the words that have a link to only each other and have letters;
/// neighbours on both sides may become one term of up to three words. The translation is that of
/// the target, without the marks beside it. Placeholders are never part of a term. Requires: the
/// links lie inside the pair.
[[nodiscard]] MarkedSource with_terms(std::string_view source, std::string_view target,
                                      const align::Links& links, int64_t line);

/// The length of a source as if its terms were not marked.
class PlainLength {
 public:
  explicit PlainLength(const text::Tokenizer& source);

  /// The number of pieces that are neither symbols nor translations of terms.
  [[nodiscard]] std::size_t of(std::span<const text::TokenId> ids) const;

 private:
  std::vector<text::TokenId> symbols_;  // of text::term_symbols(), as far as the tokenizer has them
  std::optional<text::TokenId> blank_;  // a piece of its own before a symbol
};

/// The links of a source, in a source whose terms are marked.
[[nodiscard]] align::Links in_marked(const align::Links& links, const MarkedSource& source);

}  // namespace attend::data
