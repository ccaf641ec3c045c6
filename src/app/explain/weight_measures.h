#pragma once
#include <vector>

#include "app/explain/attention_sites.h"
#include "app/explain/measures.h"
#include "app/explain/weight_probe.h"
#include "core/random.h"

namespace attend::app {

/// Other importances of the source positions, end symbol included, at a target position.
struct OtherImportances {
  std::vector<double> posterior;
  std::vector<double> contributions;  ///< empty: the model has none
  std::vector<double> alti;           ///< empty: the model has none
};

/// Fills in the measures that change the weights of `site` at the probe's position, from
/// kept_permuted to adversary_js. Leaves them undefined if the source has one position only.
void add_weight_measures(const WeightProbe& probe, const HeadWeights& own,
                         const AttentionSite& site, const OwnPrediction& before,
                         const OtherImportances& others, Random& random, MeasureValues& values);

}  // namespace attend::app
