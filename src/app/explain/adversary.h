#pragma once
#include "app/explain/attention_sites.h"
#include "app/explain/weight_probe.h"
#include "core/random.h"

namespace attend::app {

/// The largest total variation at which a prediction counts as unchanged (Jain & Wallace 2019).
inline constexpr double kSamePrediction = 0.01;

/// Number of random permutations among the adversary's targets.
inline constexpr int kAdversaryPermutations = 10;

/// The Jensen-Shannon divergence (nats) between the attention of `site` and the most different one
/// that a search finds with the same prediction (within kSamePrediction). It is a lower bound of
/// the divergence that the adversary reaches in Jain & Wallace (2019, N19-1357, Sec. 4.2.2). The
/// search goes from the own weights towards all weight on each position, uniform weights, and
/// kAdversaryPermutations random permutations, by bisection. Requires: at least two positions.
[[nodiscard]] double adversarial_divergence(const WeightProbe& probe, const HeadWeights& own,
                                            const AttentionSite& site, const OwnPrediction& before,
                                            Random& random);

}  // namespace attend::app
