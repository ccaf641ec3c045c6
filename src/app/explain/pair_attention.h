#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/explain/attention_sites.h"
#include "app/model/loaded_model.h"
#include "text/vocabulary.h"

namespace attend::app {

/// Throws UsageError with the reason if explain cannot examine the model: no attention, several
/// sources, or one weight for each feature of a position.
void require_explainable(const LoadedModel& model);

/// The words of a source line that have pieces.
struct SourceWords {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> pieces;  ///< by word, positions in the line
};

[[nodiscard]] SourceWords source_words(const TokenizedLine& source);

/// The weights of each head at each position of `target` and its end. Both sides are without
/// special symbols. Requires: require_explainable(). Throws UsageError if the model attends to
/// something other than source pieces.
[[nodiscard]] std::vector<HeadWeights> pair_attention(const LoadedModel& model,
                                                      const std::vector<text::TokenId>& source,
                                                      const std::vector<text::TokenId>& target);

}  // namespace attend::app
