#include "app/translate/minimum_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/registry.h"

namespace attend::app {
namespace {

std::unique_ptr<metrics::Metric> make_utility(const std::string& name) {
  const std::vector<std::string> names = utility_names();
  if (std::ranges::find(names, name) != names.end())
    return metrics::make_metric(name, {.sentence_level = true});
  throw UsageError(fmt::format("unknown utility \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

/// Distinct texts with their weights.
struct Distinct {
  std::vector<Translation> candidates;
  std::vector<double> weights;
};

Distinct merge(std::vector<Translation> candidates, const std::vector<double>& weights) {
  Distinct distinct;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [place, is_new] =
        places.try_emplace(candidates[i].line.text, distinct.candidates.size());
    if (is_new) {
      distinct.candidates.push_back(std::move(candidates[i]));
      distinct.weights.push_back(0.0);
    }
    distinct.weights[place->second] += weights[i];
  }
  return distinct;
}

std::vector<std::string> texts_of(const std::vector<Translation>& candidates) {
  std::vector<std::string> texts;
  for (const Translation& candidate : candidates) texts.push_back(candidate.line.text);
  return texts;
}

}  // namespace

std::vector<std::string> utility_names() {
  return {"chrf", "bleu"};
}

std::vector<std::string> candidate_weight_names() {
  return {"equal", "model"};
}

std::vector<double> candidate_weights(const std::string& name,
                                      const std::vector<Translation>& candidates) {
  if (name == "equal")
    return std::vector<double>(candidates.size(), 1.0 / static_cast<double>(candidates.size()));
  const double highest = std::ranges::max_element(candidates, {}, &Translation::log_prob)->log_prob;
  std::vector<double> weights;
  double sum = 0.0;
  for (const Translation& candidate : candidates) {
    weights.push_back(std::exp(candidate.log_prob - highest));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

MinimumRisk::MinimumRisk(const MinimumRiskOptions& options)
    : options_(options), utility_(make_utility(options.utility)) {}

std::vector<Translation> MinimumRisk::rank(std::vector<Translation> candidates) const {
  const std::vector<double> weights = candidate_weights(options_.weights, candidates);
  Distinct distinct = merge(std::move(candidates), weights);
  const std::size_t count = distinct.candidates.size();
  const std::vector<double> utilities = utility_->pairwise_scores(texts_of(distinct.candidates));
  for (std::size_t i = 0; i < count; ++i) {
    double& expected = distinct.candidates[i].score = 0.0;
    for (std::size_t j = 0; j < count; ++j)
      expected += distinct.weights[j] * utilities[i * count + j];
  }
  std::ranges::stable_sort(distinct.candidates, std::ranges::greater(), &Translation::score);
  distinct.candidates.resize(std::min(count, static_cast<std::size_t>(options_.n_best)));
  return std::move(distinct.candidates);
}

}  // namespace attend::app
