#include "app/explain/source_measures.h"

#include <utility>

#include "metrics/faithfulness/erasure.h"
#include "metrics/faithfulness/rankings.h"

namespace attend::app {

namespace {

/// The percentage of words that count as the most important ones.
constexpr int kTopPercent = 20;

constexpr std::array kHidings = {Hiding::deleted, Hiding::masked};

/// Hides the first `count` words of `order`, or with `others` all words but these.
HiddenWords first_words(const std::vector<std::size_t>& order, std::size_t count, bool others) {
  HiddenWords hidden(order.size(), others);
  for (std::size_t i = 0; i < count; ++i) hidden[order[i]] = !others;
  return hidden;
}

HiddenWords one_word(std::size_t words, std::size_t word) {
  HiddenWords hidden(words);
  hidden[word] = true;
  return hidden;
}

}  // namespace

WordImportance word_importance(std::span<const double> pieces,
                               const std::vector<std::vector<std::size_t>>& words) {
  WordImportance result;
  for (const auto& word : words) {
    result.push_back(0.0);
    for (const std::size_t piece : word) result.back() += pieces[piece];
  }
  return result;
}

SourceMeasures::SourceMeasures(HiddenSource& hidden, std::vector<std::size_t> random_order)
    : hidden_(hidden), random_order_(std::move(random_order)) {}

void SourceMeasures::request(std::size_t position, const WordImportance& attention) {
  for (std::size_t w = 0; w < words(); ++w)
    for (const Hiding how : kHidings) hidden_.request(one_word(words(), w), how, position);
  request_order(position, metrics::ranked(attention));
  request_order(position, random_order_);
}

void SourceMeasures::request_order(std::size_t position, const std::vector<std::size_t>& order) {
  for (const std::size_t count : metrics::erased_counts(words()))
    for (const Hiding how : kHidings)
      for (const bool others : {false, true})
        hidden_.request(first_words(order, count, others), how, position);
}

void SourceMeasures::add(std::size_t position, const WordImportances& importances, double decision,
                         MeasureValues& values) const {
  add_order(position, metrics::ranked(importances.attention), decision,
            Measure::comprehensiveness_deleted, values);
  add_order(position, random_order_, decision, Measure::random_comprehensiveness_deleted, values);
  add_agreement(position, importances, decision, values);
}

void SourceMeasures::add_order(std::size_t position, const std::vector<std::size_t>& order,
                               double decision, Measure first, MeasureValues& values) const {
  std::size_t place = 0;
  for (const Hiding how : kHidings) {
    for (const bool others : {false, true}) {
      std::vector<double> left;
      for (const std::size_t count : metrics::erased_counts(words())) {
        const HiddenWords hidden = first_words(order, count, others);
        left.push_back(hidden_.prediction(hidden, how, position).decision);
      }
      values[after(first, place++)] = metrics::area_over_curve(decision, left);
    }
  }
}

void SourceMeasures::add_agreement(std::size_t position, const WordImportances& importances,
                                   double decision, MeasureValues& values) const {
  if (words() < 2) return;
  WordImportance left_out;
  WordImportance difference;
  for (std::size_t w = 0; w < words(); ++w) {
    const HiddenWords hidden = one_word(words(), w);
    left_out.push_back(hidden_.prediction(hidden, Hiding::deleted, position).total_variation);
    difference.push_back(decision - hidden_.prediction(hidden, Hiding::masked, position).decision);
  }
  const std::size_t top = metrics::share_of(words(), kTopPercent);
  std::size_t place = 0;
  for (const WordImportance& other :
       {left_out, importances.saliency, difference, importances.posterior,
        importances.contributions, importances.alti}) {
    const std::size_t here = place++;
    if (other.empty()) continue;
    if (const auto tau = metrics::kendall_tau(importances.attention, other))
      values[after(Measure::tau_leave_one_out, here)] = *tau;
    values[after(Measure::overlap_leave_one_out, here)] =
        metrics::top_overlap(importances.attention, other, top);
  }
}

}  // namespace attend::app
