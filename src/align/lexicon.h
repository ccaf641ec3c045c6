#pragma once
#include <cstdint>
#include <vector>

namespace attend::align {

/// A sentence pair as numbers of pieces.
struct NumberedPair {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
};

/// A target piece of a row of a Lexicon.
struct LexiconEntry {
  int32_t target = 0;
  double probability = 0.0;
};

/// How source pieces are translated, learnt from pairs.
struct Lexicon {
  /// by_source[s]: p(target | s), most probable first, of equals the lower number first. Rows of
  /// pieces that the pairs do not have are empty.
  std::vector<std::vector<LexiconEntry>> by_source;
  /// The share of each target piece in all of the text, in the same order.
  std::vector<LexiconEntry> frequency;
};

struct LexiconOptions {
  int64_t sources = 0;      ///< numbers of source pieces are below that
  int64_t targets = 0;      ///< and of target pieces below that
  int64_t iterations = 5;   ///< of expectation maximisation
  double at_least = 0.001;  ///< what is less probable is left out of by_source
};

/// Model 1 of Brown et al. (1993), "The mathematics of statistical machine translation", Sec. 4.1:
/// each target piece t_j of a pair is the translation of one of its source pieces s_1 .. s_l or of
/// none (s_0), all of them equally likely beforehand,
///   p(t | s) <- sum over pairs and j with t_j = t of p(t_j | s) / sum_i p(t_j | s_i), normalised,
/// from the uniform distribution on. Each iteration takes time in the product of the lengths of
/// each pair; memory is that of all pairs of pieces that occur together. Throws std::logic_error
/// for numbers outside the sizes, Stopped after a signal.
[[nodiscard]] Lexicon learn_lexicon(const std::vector<NumberedPair>& pairs,
                                    const LexiconOptions& options);

}  // namespace attend::align
