#pragma once
#include <cstddef>

#include "align/attention_matrix.h"

namespace attend::align {

/// Statistics of attention over many sentences, including end symbols. The weights of each row are
/// divided by their sum. Rows whose weights are all zero count only in tokens() and zero_share().
class AttentionStatistics {
 public:
  /// Requires: the matrix has weights.
  void add(const AttentionMatrix& matrix);

  /// Number of rows so far.
  [[nodiscard]] std::size_t tokens() const { return tokens_; }
  /// Mean over rows of -sum_s a[s] log a[s] (nats): 0 for one position, log n for n equal weights.
  [[nodiscard]] double mean_entropy() const;
  /// Mean over rows t of sum_s a[s] |(s + 1/2) / S - (t + 1/2) / T|: 0 for weights on the diagonal.
  [[nodiscard]] double mean_distance() const;
  /// Fraction of weights that are exactly 0.
  [[nodiscard]] double zero_share() const;
  /// Mean weight that target tokens other than the end symbol give to the source's end symbol.
  [[nodiscard]] double mean_end_weight() const;

 private:
  void add_row(const AttentionMatrix& matrix, std::size_t row);

  std::size_t tokens_ = 0;
  std::size_t weighted_ = 0;  // rows with a positive sum
  std::size_t inner_ = 0;     // weighted rows other than the end symbol's
  std::size_t cells_ = 0;
  std::size_t zeros_ = 0;
  double entropy_ = 0.0;
  double distance_ = 0.0;
  double end_weight_ = 0.0;
};

}  // namespace attend::align
