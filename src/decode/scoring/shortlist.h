#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// How many target pieces a shortlist takes from a lexical table.
struct ShortlistSizes {
  int64_t first = 100;  ///< the most frequent ones, for every sentence
  int64_t best = 100;   ///< the most probable ones of each source piece
};

/// The target pieces that alone are scored in the search for a sentence's translation: the most
/// frequent ones, and of each of its source pieces those that it is most often translated to (Jean
/// et al. 2015, arXiv 1412.2007, Sec. 3.3). What the model thinks of others is not asked, so that
/// probabilities are shares of those of the shortlist. For several threads at once.
class Shortlist {
 public:
  /// `always`: pieces for every sentence; by_source[s]: those of source piece s. Beside them the
  /// special symbols are on every list. Throws std::logic_error for a piece that is not below
  /// `vocabulary`.
  Shortlist(int64_t vocabulary, std::vector<text::TokenId> always,
            std::vector<std::vector<text::TokenId>> by_source);

  /// The list of a sentence, ascending: the special symbols are the first. `prefix`: what its
  /// translation begins with, which is on it, too.
  [[nodiscard]] std::vector<text::TokenId> candidates(std::span<const text::TokenId> source,
                                                      std::span<const text::TokenId> prefix) const;

  /// Pieces of the target vocabulary, special symbols included.
  [[nodiscard]] int64_t vocabulary() const { return vocabulary_; }

 private:
  int64_t vocabulary_;
  std::vector<text::TokenId> always_;
  std::vector<std::vector<text::TokenId>> by_source_;
};

/// The source of lines that say how frequent a target piece is.
inline constexpr const char* kNoSource = "NULL";

/// Reads a lexical table, plain or gzip, as `attend lexicon` writes it and Moses and Marian know it
/// (lex.s2t): lines `TARGET SOURCE P`, one blank between, where P, 0 to 1, is the probability of
/// the target piece given the source piece, or where SOURCE is NULL, given nothing. Lines may be in
/// any order.
/// Throws UsageError for sizes that leave nothing or everything, DataError, naming the line, for
/// one that is not of this form or stands there twice and for pieces that the tokenizers do not
/// have; for a table without any line, and for one without a line of NULL where sizes.first > 0.
[[nodiscard]] Shortlist read_shortlist(const std::filesystem::path& file,
                                       const text::Tokenizer& source, const text::Tokenizer& target,
                                       const ShortlistSizes& sizes);

}  // namespace attend::decode
