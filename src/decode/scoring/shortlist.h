#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace attend::decode {

/// Numbers of target pieces that a shortlist takes from a lexical table.
struct ShortlistSizes {
  int64_t first = 100;  ///< most frequent pieces, for every sentence
  int64_t best = 100;   ///< most probable pieces for each source piece
};

/// Restricts the search for a sentence's translation to some target pieces: the most frequent ones,
/// and the most probable translations of each of its source pieces (Jean et al. 2015, arXiv
/// 1412.2007, Sec. 3.3). Other pieces are not scored, so probabilities are shares within the
/// shortlist. Safe to use from several threads.
class Shortlist {
 public:
  /// `always`: pieces for every sentence; by_source[s]: pieces for source piece s. Special symbols
  /// are on every list. Throws std::logic_error for a piece that is not below `vocabulary`.
  Shortlist(int64_t vocabulary, std::vector<text::TokenId> always,
            std::vector<std::vector<text::TokenId>> by_source);

  /// Returns the list of a sentence, ascending, special symbols first. It includes `prefix`, the
  /// beginning of the translation. Throws std::out_of_range for a piece of `prefix` that is not
  /// below vocabulary().
  [[nodiscard]] std::vector<text::TokenId> candidates(std::span<const text::TokenId> source,
                                                      std::span<const text::TokenId> prefix) const;

  /// The number of pieces in the target vocabulary, including special symbols.
  [[nodiscard]] int64_t vocabulary() const { return vocabulary_; }

 private:
  int64_t vocabulary_;
  std::vector<text::TokenId> always_;
  std::vector<std::vector<text::TokenId>> by_source_;
};

/// The SOURCE of the lines of a lexical table that give the frequency of a target piece.
inline constexpr const char* kNoSource = "NULL";

/// Reads a lexical table, plain or gzip, in the format of `attend lexicon`, Moses and Marian
/// (lex.s2t): lines `TARGET SOURCE P` with single spaces, where P, 0 to 1, is the probability of
/// the target piece given the source piece, or given nothing if SOURCE is NULL. Lines may be in any
/// order. Throws UsageError for sizes that select nothing or everything. Throws DataError, naming
/// the line, for a malformed or repeated line and for pieces that the tokenizers lack; also for an
/// empty table, and for a table without NULL lines if sizes.first > 0.
[[nodiscard]] Shortlist read_shortlist(const std::filesystem::path& file,
                                       const text::Tokenizer& source, const text::Tokenizer& target,
                                       const ShortlistSizes& sizes);

}  // namespace attend::decode
