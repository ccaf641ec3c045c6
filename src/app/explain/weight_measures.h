#pragma once
#include "app/explain/attention_sites.h"
#include "app/explain/measures.h"
#include "app/explain/weight_probe.h"
#include "core/random.h"

namespace attend::app {

/// Fills in the measures that change the weights of `site` at the probe's position, from
/// kept_permuted to adversary_js. Leaves them undefined if the source has one position only.
void add_weight_measures(const WeightProbe& probe, const HeadWeights& own,
                         const AttentionSite& site, const OwnPrediction& before, Random& random,
                         MeasureValues& values);

}  // namespace attend::app
