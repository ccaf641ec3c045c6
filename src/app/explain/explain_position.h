#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/attention/sentence_attention.h"
#include "app/explain/hidden_source.h"
#include "app/model/loaded_model.h"
#include "text/vocabulary.h"

namespace attend::app {

/// The part of a source word, or of the end symbol, in the choice of one target piece.
struct SourceWordRole {
  std::string name;
  double attention = 0.0;  ///< weight, summed over the pieces, mean over layers and heads
  double saliency = 0.0;   ///< share of the absolute gradient times embedding
  std::optional<HiddenSource::Prediction> left_out;  ///< if the word is deleted; none for the end
  /// The pieces of a word, or of the rest of one, that the model writes if all attention of this
  /// position is on the source word, evenly on its pieces. Each is the most probable piece.
  std::vector<std::string> elsewhere;
  double elsewhere_probability = 0.0;  ///< of all pieces in `elsewhere`
};

/// A target piece explained by the source words.
struct ExplainedPosition {
  double probability = 0.0;           ///< of the piece
  std::vector<SourceWordRole> words;  ///< in order, the end symbol last
};

/// Explains why the model writes `piece` after `prefix`, both without kBos. Throws UsageError as
/// require_explainable() and pair_attention(), and for a source without words.
[[nodiscard]] ExplainedPosition explain_position(const LoadedModel& model,
                                                 const TokenizedLine& source,
                                                 const std::vector<text::TokenId>& prefix,
                                                 text::TokenId piece);

}  // namespace attend::app
