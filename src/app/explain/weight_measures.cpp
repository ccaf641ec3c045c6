#include "app/explain/weight_measures.h"

#include <algorithm>
#include <numeric>

#include "app/explain/adversary.h"
#include "metrics/faithfulness/distances.h"
#include "metrics/faithfulness/erasure.h"
#include "metrics/faithfulness/rankings.h"
#include "metrics/faithfulness/replacements.h"

namespace attend::app {

namespace {

using metrics::Pivot;
using metrics::Replacement;
using Positions = std::vector<std::size_t>;

/// An order in which positions are removed, and its measure.
struct RemovalOrder {
  Measure measure;
  Positions positions;
};

std::vector<double> product(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] * b[i]);
  return result;
}

std::vector<RemovalOrder> removal_orders(std::span<const double> weights,
                                         std::span<const double> gradient,
                                         const OtherImportances& others, Random& random) {
  std::vector<RemovalOrder> orders;
  const auto add = [&orders](Measure measure, std::span<const double> importance) {
    if (!importance.empty()) orders.push_back({measure, metrics::ranked(importance)});
  };
  add(Measure::removed_by_attention, weights);
  add(Measure::removed_by_gradient, gradient);
  add(Measure::removed_by_attention_gradient, product(weights, gradient));
  add(Measure::removed_by_posterior, others.posterior);
  add(Measure::removed_by_contributions, others.contributions);
  add(Measure::removed_by_alti, others.alti);
  Positions shuffled(weights.size());
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  random.shuffle(shuffled);
  orders.push_back({Measure::removed_by_random, std::move(shuffled)});
  return orders;
}

std::size_t random_other(std::size_t count, std::size_t avoided, Random& random) {
  const std::size_t drawn = random.below(count - 1);
  return drawn < avoided ? drawn : drawn + 1;
}

WeightChange removal(Positions positions) {
  return [positions = std::move(positions)](std::span<const double> weights) {
    return metrics::without(weights, positions);
  };
}

/// All changes in order: six replacements, the removal of the position `other`, then for each order
/// the removal of its first 1, 2, ... positions.
std::vector<WeightChange> all_changes(const Pivot& pivot, std::size_t other,
                                      const std::vector<RemovalOrder>& orders) {
  std::vector<WeightChange> changes;
  for (const Replacement how : enum_values<Replacement>()) {
    changes.push_back([how, &pivot](std::span<const double> weights) {
      return metrics::replaced(weights, how, pivot);
    });
  }
  changes.push_back(removal({other}));
  for (const auto& [measure, order] : orders)
    for (std::size_t k = 1; k <= order.size(); ++k)
      changes.push_back(removal({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)}));
  return changes;
}

/// The predictions under all_changes().
class Changed {
 public:
  Changed(const torch::Tensor& scores, const OwnPrediction& before)
      : scores_(scores), before_(before) {
    const torch::Tensor best = scores.argmax(1).contiguous();
    const auto* tokens = best.data_ptr<int64_t>();
    for (int64_t i = 0; i < best.size(0); ++i)
      differs_.push_back(tokens[i] != int64_t{before.decision});
  }

  [[nodiscard]] bool decision(std::size_t change) const { return differs_[change]; }
  [[nodiscard]] std::vector<bool> decisions(std::size_t first, std::size_t count) const {
    const auto begin = differs_.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
  [[nodiscard]] double total_variation(std::size_t change) const {
    return metrics::total_variation(before_.probabilities, row(change));
  }
  [[nodiscard]] double jensen_shannon(std::size_t change) const {
    return metrics::jensen_shannon(before_.probabilities, row(change));
  }

 private:
  [[nodiscard]] std::vector<double> row(std::size_t change) const {
    return probabilities_of(scores_[static_cast<int64_t>(change)]);
  }

  const torch::Tensor& scores_;
  const OwnPrediction& before_;
  std::vector<bool> differs_;
};

constexpr std::size_t kReplacements = name_table(Replacement{}).size();

double share(bool holds) {
  return holds ? 1.0 : 0.0;
}

void add_replacements(const Changed& changed, MeasureValues& values) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < kReplacements; ++i) {
    kept += changed.decision(i) ? 0 : 1;
    values[after(Measure::kept_permuted, i)] = share(!changed.decision(i));
    values[after(Measure::tvd_permuted, i)] = changed.total_variation(i);
  }
  values[Measure::kept_by_any] = share(kept > 0);
  values[Measure::kept_by_all] = share(kept == kReplacements);
}

void add_erasure(const Changed& changed, MeasureValues& values) {
  constexpr auto kLargest = static_cast<std::size_t>(Replacement::without_largest);
  constexpr std::size_t kOther = kReplacements;
  values[Measure::erased_js_largest] = changed.jensen_shannon(kLargest);
  values[Measure::erased_js_random] = changed.jensen_shannon(kOther);
  values[Measure::erased_changes_largest] = share(changed.decision(kLargest));
  values[Measure::erased_changes_random] = share(changed.decision(kOther));
}

void add_removal(const Changed& changed, const std::vector<RemovalOrder>& orders,
                 MeasureValues& values) {
  std::size_t first = kReplacements + 1;
  for (const auto& [measure, order] : orders) {
    values[measure] = metrics::share_until_change(changed.decisions(first, order.size()));
    first += order.size();
  }
}

}  // namespace

void add_weight_measures(const WeightProbe& probe, const HeadWeights& own,
                         const AttentionSite& site, const OwnPrediction& before,
                         const OtherImportances& others, Random& random, MeasureValues& values) {
  const std::vector<double> weights = mean_weights(own, site);
  if (weights.size() < 2) return;
  const Pivot pivot = metrics::drawn_pivot(weights, random);
  const std::size_t other = random_other(weights.size(), pivot.largest, random);
  const std::vector<double> gradient = probe.gradient(own, site, before.decision);
  const auto orders = removal_orders(weights, gradient, others, random);
  const torch::Tensor scores = probe.scores(own, site, all_changes(pivot, other, orders));
  const Changed changed(scores, before);
  add_replacements(changed, values);
  add_erasure(changed, values);
  add_removal(changed, orders, values);
  values[Measure::adversary_js] = adversarial_divergence(probe, own, site, before, random);
}

}  // namespace attend::app
