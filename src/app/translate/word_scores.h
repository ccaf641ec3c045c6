#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/translate/translator.h"

namespace attend::app {

/// How sure a model is of a translation.
struct WordScores {
  std::vector<std::string> words;     ///< of the translation, in reading order
  std::vector<double> probabilities;  ///< of each word, the product over its pieces
  double end = 1.0;                   ///< probability of the end after the last word
  double confidence = 1.0;  ///< geometric mean of the probabilities of the pieces and the end
};

/// The scores of a translation, from the search that wrote it; pieces belong to words as in
/// word_groups(). A line that was not translated has no words.
[[nodiscard]] WordScores word_scores(const Translation& translation);

/// True if the confidence is below `limit`; unset: no limit.
[[nodiscard]] bool needs_review(const WordScores& scores, std::optional<double> limit);

/// A line of a file of word scores, without LF: {"id": line number from 0, "rank": place in the
/// n-best list, "confidence": ..., "words": [...], "probabilities": [...], "end": ...}, and
/// "review": true if it needs_review().
[[nodiscard]] std::string word_scores_json(int64_t id, int64_t rank, const WordScores& scores,
                                           std::optional<double> review_below);

}  // namespace attend::app
