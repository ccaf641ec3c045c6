#pragma once
#include <cstddef>

#include "align/attention_matrix.h"

namespace attend::align {

/// What attention looks like over many sentences, end symbols included. Rows without any weight
/// count as tokens and zeros only; the weights of any other row are divided by their sum.
class AttentionStatistics {
 public:
  /// Requires: the matrix has weights.
  void add(const AttentionMatrix& matrix);

  /// Rows so far.
  [[nodiscard]] std::size_t tokens() const { return tokens_; }
  /// Of a row, -sum_s a[s] log a[s], nats: 0 for one position, log n for n equal ones.
  [[nodiscard]] double mean_entropy() const;
  /// Of a weight, |(s + 1/2) / S - (t + 1/2) / T|: 0 on the diagonal.
  [[nodiscard]] double mean_distance() const;
  /// Share of the cells that hold exactly 0.
  [[nodiscard]] double zero_share() const;
  /// Mean weight that target tokens other than the end symbol give to the source's end symbol.
  [[nodiscard]] double mean_end_weight() const;

 private:
  void add_row(const AttentionMatrix& matrix, std::size_t row);

  std::size_t tokens_ = 0;
  std::size_t weighted_ = 0;  // rows with weight
  std::size_t inner_ = 0;     // of these, rows that are not the end symbol's
  std::size_t cells_ = 0;
  std::size_t zeros_ = 0;
  double entropy_ = 0.0;
  double distance_ = 0.0;
  double end_weight_ = 0.0;
};

}  // namespace attend::align
