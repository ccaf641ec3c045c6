#pragma once
#include <cstdint>
#include <vector>

namespace attend::align {

/// A sentence pair as piece ids.
struct NumberedPair {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
};

/// A target piece with its probability.
struct LexiconEntry {
  int32_t target = 0;
  double probability = 0.0;
};

/// Translation probabilities of source pieces, learnt from sentence pairs.
struct Lexicon {
  /// by_source[s]: p(target | s), most probable first; ties are sorted by id. Empty for pieces that
  /// do not occur in the pairs.
  std::vector<std::vector<LexiconEntry>> by_source;
  /// The relative frequency of each target piece that occurs, most frequent first.
  std::vector<LexiconEntry> frequency;
};

struct LexiconOptions {
  int64_t sources = 0;      ///< size of the source vocabulary
  int64_t targets = 0;      ///< size of the target vocabulary
  int64_t iterations = 5;   ///< of expectation maximisation
  double at_least = 0.001;  ///< smallest probability kept in by_source
};

/// Model 1 of Brown et al. (1993), "The mathematics of statistical machine translation", Sec. 4.1:
/// each target piece t_j of a pair translates one of its source pieces s_1 .. s_l or none (s_0),
/// with equal prior probability. Starting from the uniform distribution, each iteration sets
///   p(t | s) <- sum over pairs and j with t_j = t of p(t_j | s) / sum_i p(t_j | s_i), normalised.
/// The time of an iteration is the sum over pairs of the product of their lengths. Memory grows
/// with the number of distinct pairs of co-occurring pieces. Throws std::logic_error for ids
/// outside the vocabularies, and Stopped after a signal.
[[nodiscard]] Lexicon learn_lexicon(const std::vector<NumberedPair>& pairs,
                                    const LexiconOptions& options);

}  // namespace attend::align
