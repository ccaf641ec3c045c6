#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/align/forced_pairs.h"
#include "app/explain/attention_sites.h"
#include "app/explain/measures.h"
#include "app/model/loaded_model.h"
#include "metrics/faithfulness/word_class.h"

namespace attend::app {

/// A target token with the measures at its position.
struct ExplainedToken {
  std::string piece;
  std::string word;  ///< of the target line; "</s>" for the end symbol
  metrics::WordClass word_class = metrics::WordClass::content;
  std::string decision;              ///< the most probable piece
  double probability = 0.0;          ///< of the decision
  std::vector<MeasureValues> sites;  ///< by attention site
};

/// Measures every position of a pair, in the order in which the model writes. Random numbers come
/// from streams of `seed` and the pair's id. `compared` is the model that `model` is a control of,
/// for model_js; null: none. Requires: each model has attention to a single source.
[[nodiscard]] std::vector<ExplainedToken> explain_pair(const LoadedModel& model,
                                                       const ForcedPair& pair,
                                                       const std::vector<AttentionSite>& sites,
                                                       const metrics::FunctionWords& function_words,
                                                       uint64_t seed,
                                                       const LoadedModel* compared = nullptr);

}  // namespace attend::app
