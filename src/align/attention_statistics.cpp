#include "align/attention_statistics.h"

#include <cmath>

namespace attend::align {
namespace {

double mean(double sum, std::size_t count) {
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

/// The middle of part `index` if 0 .. 1 is split into `count` equal parts.
double place(std::size_t index, std::size_t count) {
  return (static_cast<double>(index) + 0.5) / static_cast<double>(count);
}

}  // namespace

void AttentionStatistics::add(const AttentionMatrix& matrix) {
  for (std::size_t t = 0; t < matrix.weights.rows(); ++t) add_row(matrix, t);
}

void AttentionStatistics::add_row(const AttentionMatrix& matrix, std::size_t row) {
  const WeightTable& weights = matrix.weights;
  ++tokens_;
  cells_ += weights.columns();
  double sum = 0.0;
  for (std::size_t s = 0; s < weights.columns(); ++s) {
    sum += static_cast<double>(weights(row, s));
    if (weights(row, s) == 0.0F) ++zeros_;
  }
  if (sum == 0.0) return;
  ++weighted_;
  for (std::size_t s = 0; s < weights.columns(); ++s) {
    const double share = static_cast<double>(weights(row, s)) / sum;
    if (share > 0.0) entropy_ -= share * std::log(share);
    distance_ += share * std::abs(place(s, weights.columns()) - place(row, weights.rows()));
  }
  if (!matrix.source_end || row >= matrix.target_tokens()) return;
  ++inner_;
  end_weight_ += static_cast<double>(weights(row, weights.columns() - 1)) / sum;
}

double AttentionStatistics::mean_entropy() const {
  return mean(entropy_, weighted_);
}
double AttentionStatistics::mean_distance() const {
  return mean(distance_, weighted_);
}
double AttentionStatistics::zero_share() const {
  return mean(static_cast<double>(zeros_), cells_);
}
double AttentionStatistics::mean_end_weight() const {
  return mean(end_weight_, inner_);
}

}  // namespace attend::align
