#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace attend::align {

/// A table of weights, row by row.
class WeightTable {
 public:
  WeightTable() = default;
  /// All zeros.
  WeightTable(std::size_t rows, std::size_t columns);
  /// Throws std::logic_error unless there are rows * columns values.
  WeightTable(std::size_t rows, std::size_t columns, std::vector<float> values);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] float operator()(std::size_t row, std::size_t column) const {
    return values_[row * columns_ + column];
  }
  [[nodiscard]] float& operator()(std::size_t row, std::size_t column) {
    return values_[row * columns_ + column];
  }
  bool operator==(const WeightTable&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<float> values_;
};

/// The attention of one sentence pair with a name for each row and column. A token is a piece or a
/// word.
struct AttentionMatrix {
  std::vector<std::string> target;  ///< names of the rows, the end symbol last if `target_end`
  std::vector<std::string> source;  ///< names of the columns, the end symbol last if `source_end`
  bool target_end = true;
  bool source_end = true;
  WeightTable weights;             ///< [target, source]; empty for a model without attention
  std::vector<WeightTable> heads;  ///< each [target, source]; empty unless there are several

  /// Tokens of the sentence, not counting the end symbol.
  [[nodiscard]] std::size_t target_tokens() const { return target.size() - (target_end ? 1 : 0); }
  [[nodiscard]] std::size_t source_tokens() const { return source.size() - (source_end ? 1 : 0); }
  [[nodiscard]] bool has_weights() const { return !weights.empty(); }

  /// Throws std::logic_error unless every table has one row and one column per name.
  void check() const;
};

/// The matrix with the weights of head `head` (from 1); the matrix itself if it is 0 or the weights
/// of single heads are unknown.
[[nodiscard]] AttentionMatrix of_head(AttentionMatrix matrix, std::size_t head);

/// Gives each token the weights from `steps` decoding steps later, for wirings that attend before
/// the token is known. The last rows keep their own weights.
[[nodiscard]] AttentionMatrix shift_rows(const AttentionMatrix& matrix, std::size_t steps);

/// Reverses the order of the target tokens with their weights; an end symbol stays last. Converts
/// the output of a right-to-left model to reading order.
[[nodiscard]] AttentionMatrix turn_rows(const AttentionMatrix& matrix);

}  // namespace attend::align
