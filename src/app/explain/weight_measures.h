#pragma once
#include <span>
#include <vector>

#include "app/explain/attention_sites.h"
#include "app/explain/measures.h"
#include "app/explain/weight_probe.h"
#include "core/random.h"

namespace attend::app {

/// What the model predicts at a target position with its own weights.
struct OwnPrediction {
  text::TokenId decision = 0;             ///< the most probable token
  std::span<const double> probabilities;  ///< of all tokens
};

/// Fills in the measures that change the weights of `site` at the probe's position, from
/// kept_permuted to removed_by_random. Leaves them undefined if the source has one position only.
void add_weight_measures(const WeightProbe& probe, const HeadWeights& own,
                         const AttentionSite& site, const OwnPrediction& before, Random& random,
                         MeasureValues& values);

}  // namespace attend::app
