#include "app/explain/adversary.h"

#include <algorithm>
#include <numeric>

#include "metrics/faithfulness/distances.h"
#include "metrics/faithfulness/replacements.h"

namespace attend::app {

namespace {

using metrics::Pivot;
using metrics::Replacement;

/// Bisections of the way to a target; they locate the changed prediction to 1/64 of the way.
constexpr int kBisections = 6;

/// The way from the own weights (share 0) to a target (share 1).
struct Way {
  WeightChange target;
  double reached = 0.0;  ///< the largest share known to keep the prediction
  double failed = 2.0;   ///< the smallest share known to change it; above 1: none

  [[nodiscard]] double next() const { return failed > 1.0 ? 1.0 : (reached + failed) / 2; }
  [[nodiscard]] bool at_end() const { return reached == 1.0; }
};

WeightChange mixed(const WeightChange& target, double share) {
  return [&target, share](std::span<const double> weights) {
    std::vector<double> result = target(weights);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = share * result[i] + (1.0 - share) * weights[i];
    return result;
  };
}

WeightChange replacement(Replacement how, Pivot pivot) {
  return [how, pivot = std::move(pivot)](std::span<const double> weights) {
    return metrics::replaced(weights, how, pivot);
  };
}

std::vector<Way> all_ways(std::size_t positions, Random& random) {
  std::vector<Way> ways{{replacement(Replacement::uniform, {})}};
  for (std::size_t i = 0; i < positions; ++i)
    ways.push_back({replacement(Replacement::only_largest, {i, {}})});
  Pivot pivot{0, std::vector<std::size_t>(positions)};
  std::iota(pivot.permutation.begin(), pivot.permutation.end(), std::size_t{0});
  for (int i = 0; i < kAdversaryPermutations; ++i) {
    random.shuffle(pivot.permutation);
    ways.push_back({replacement(Replacement::permuted, pivot)});
  }
  return ways;
}

/// Moves each of `ways` one step further.
void bisect(const WeightProbe& probe, const HeadWeights& own, const AttentionSite& site,
            const OwnPrediction& before, const std::vector<Way*>& ways) {
  std::vector<WeightChange> changes;
  for (const Way* way : ways) changes.push_back(mixed(way->target, way->next()));
  const torch::Tensor scores = probe.scores(own, site, changes);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto after = probabilities_of(scores[static_cast<int64_t>(i)]);
    const double distance = metrics::total_variation(before.probabilities, after);
    const double share = ways[i]->next();
    (distance <= kSamePrediction ? ways[i]->reached : ways[i]->failed) = share;
  }
}

/// The attention of `site` after `change`.
std::vector<double> changed_attention(HeadWeights weights, const AttentionSite& site,
                                      const WeightChange& change) {
  for (std::size_t layer = 0; layer < weights.size(); ++layer) {
    for (const int64_t head : site.heads[layer]) {
      std::vector<double>& row = weights[layer][static_cast<std::size_t>(head)];
      row = change(row);
    }
  }
  return attention_of(weights, site);
}

}  // namespace

double adversarial_divergence(const WeightProbe& probe, const HeadWeights& own,
                              const AttentionSite& site, const OwnPrediction& before,
                              Random& random) {
  const std::vector<double> attention = attention_of(own, site);
  std::vector<Way> ways = all_ways(attention.size(), random);
  for (int round = 0; round <= kBisections; ++round) {
    std::vector<Way*> open;
    for (Way& way : ways)
      if (!way.at_end()) open.push_back(&way);
    if (!open.empty()) bisect(probe, own, site, before, open);
  }
  double largest = 0.0;
  for (const Way& way : ways) {
    const auto other = changed_attention(own, site, mixed(way.target, way.reached));
    largest = std::max(largest, metrics::jensen_shannon(attention, other));
  }
  return largest;
}

}  // namespace attend::app
