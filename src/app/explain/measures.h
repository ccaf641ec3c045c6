#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "core/named_enum.h"
#include "metrics/faithfulness/replacements.h"

namespace attend::app {

/// The measures of a target position. The names are keys of JSON records. The README of this
/// folder has the formulas.
enum class Measure : std::size_t {
  kept_permuted,  // the next five in the order of metrics::Replacement
  kept_uniform,
  kept_without_largest,
  kept_only_largest,
  kept_last,
  kept_largest_kept,
  kept_by_any,
  kept_by_all,
  tvd_permuted,  // the next five in the order of metrics::Replacement
  tvd_uniform,
  tvd_without_largest,
  tvd_only_largest,
  tvd_last,
  tvd_largest_kept,
  erased_js_largest,
  erased_js_random,
  erased_changes_largest,
  erased_changes_random,
  removed_by_attention,
  removed_by_gradient,
  removed_by_attention_gradient,
  removed_by_posterior,
  removed_by_contributions,
  removed_by_alti,
  removed_by_random,
  adversary_js,
  model_js,
  comprehensiveness_deleted,  // the next seven in the order of ErasureMeasures
  sufficiency_deleted,
  comprehensiveness_masked,
  sufficiency_masked,
  random_comprehensiveness_deleted,
  random_sufficiency_deleted,
  random_comprehensiveness_masked,
  random_sufficiency_masked,
  tau_leave_one_out,
  tau_saliency,
  tau_prediction_difference,
  tau_posterior,
  tau_contributions,
  tau_alti,
  overlap_leave_one_out,
  overlap_saliency,
  overlap_prediction_difference,
  overlap_posterior,
  overlap_contributions,
  overlap_alti,
};

constexpr auto name_table(Measure) {
  using M = Measure;
  return std::to_array<NamedValue<Measure>>({
      {M::kept_permuted, "kept_permuted", "weights permuted"},
      {M::kept_uniform, "kept_uniform", "weights uniform"},
      {M::kept_without_largest, "kept_without_largest", "without the largest"},
      {M::kept_only_largest, "kept_only_largest", "only the largest"},
      {M::kept_last, "kept_last", "all on the last position"},
      {M::kept_largest_kept, "kept_largest_kept", "largest kept, rest even"},
      {M::kept_by_any, "kept_by_any", "at least one of the six"},
      {M::kept_by_all, "kept_by_all", "each of the six"},
      {M::tvd_permuted, "tvd_permuted", "weights permuted"},
      {M::tvd_uniform, "tvd_uniform", "weights uniform"},
      {M::tvd_without_largest, "tvd_without_largest", "without the largest"},
      {M::tvd_only_largest, "tvd_only_largest", "only the largest"},
      {M::tvd_last, "tvd_last", "all on the last position"},
      {M::tvd_largest_kept, "tvd_largest_kept", "largest kept, rest even"},
      {M::erased_js_largest, "erased_js_largest", "JS divergence, largest"},
      {M::erased_js_random, "erased_js_random", "JS divergence, random other"},
      {M::erased_changes_largest, "erased_changes_largest", "decision changes, largest"},
      {M::erased_changes_random, "erased_changes_random", "decision changes, random other"},
      {M::removed_by_attention, "removed_by_attention", "by attention"},
      {M::removed_by_gradient, "removed_by_gradient", "by gradient"},
      {M::removed_by_attention_gradient, "removed_by_attention_gradient",
       "by attention x gradient"},
      {M::removed_by_posterior, "removed_by_posterior", "by posterior"},
      {M::removed_by_contributions, "removed_by_contributions", "by contributions"},
      {M::removed_by_alti, "removed_by_alti", "by ALTI"},
      {M::removed_by_random, "removed_by_random", "in random order"},
      {M::adversary_js, "adversary_js", "the most different one with the same prediction"},
      {M::model_js, "model_js", "the model's (for controls)"},
      {M::comprehensiveness_deleted, "comprehensiveness_deleted", "comprehensiveness, deleted"},
      {M::sufficiency_deleted, "sufficiency_deleted", "sufficiency, deleted"},
      {M::comprehensiveness_masked, "comprehensiveness_masked", "comprehensiveness, masked"},
      {M::sufficiency_masked, "sufficiency_masked", "sufficiency, masked"},
      {M::random_comprehensiveness_deleted, "random_comprehensiveness_deleted",
       "random comprehensiveness, deleted"},
      {M::random_sufficiency_deleted, "random_sufficiency_deleted", "random sufficiency, deleted"},
      {M::random_comprehensiveness_masked, "random_comprehensiveness_masked",
       "random comprehensiveness, masked"},
      {M::random_sufficiency_masked, "random_sufficiency_masked", "random sufficiency, masked"},
      {M::tau_leave_one_out, "tau_leave_one_out", "tau with leave-one-out"},
      {M::tau_saliency, "tau_saliency", "tau with saliency"},
      {M::tau_prediction_difference, "tau_prediction_difference", "tau with prediction difference"},
      {M::tau_posterior, "tau_posterior", "tau with posterior"},
      {M::tau_contributions, "tau_contributions", "tau with contributions"},
      {M::tau_alti, "tau_alti", "tau with ALTI"},
      {M::overlap_leave_one_out, "overlap_leave_one_out", "top words, leave-one-out"},
      {M::overlap_saliency, "overlap_saliency", "top words, saliency"},
      {M::overlap_prediction_difference, "overlap_prediction_difference",
       "top words, prediction difference"},
      {M::overlap_posterior, "overlap_posterior", "top words, posterior"},
      {M::overlap_contributions, "overlap_contributions", "top words, contributions"},
      {M::overlap_alti, "overlap_alti", "top words, ALTI"},
  });
}

inline constexpr std::size_t kMeasures = name_table(Measure{}).size();

/// Measures that belong together in a table.
struct MeasureGroup {
  Measure first;
  std::string_view title;
};

/// All groups, in the order of the measures. A group ends where the next one begins.
inline constexpr std::array kMeasureGroups = {
    MeasureGroup{Measure::kept_permuted, "Share of decisions kept when the weights are replaced"},
    MeasureGroup{Measure::tvd_permuted, "Total variation of the prediction when they are replaced"},
    MeasureGroup{Measure::erased_js_largest, "Effect of setting one weight to 0"},
    MeasureGroup{Measure::removed_by_attention,
                 "Share of weights removed until the decision changes"},
    MeasureGroup{Measure::adversary_js, "JS divergence between the attention and another"},
    MeasureGroup{Measure::comprehensiveness_deleted,
                 "Loss of probability when source words are hidden (AOPC)"},
    MeasureGroup{Measure::tau_leave_one_out,
                 "Agreement of attention with other importances of source words"},
};

/// The measure `steps` after `first`.
[[nodiscard]] constexpr Measure after(Measure first, std::size_t steps) {
  return static_cast<Measure>(static_cast<std::size_t>(first) + steps);
}

/// One value for each measure at one target position; NaN: undefined there.
class MeasureValues {
 public:
  MeasureValues() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }

  [[nodiscard]] double& operator[](Measure measure) {
    return values_[static_cast<std::size_t>(measure)];
  }
  [[nodiscard]] std::span<const double, kMeasures> all() const { return values_; }

 private:
  std::array<double, kMeasures> values_;
};

}  // namespace attend::app
