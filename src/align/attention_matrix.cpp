#include "align/attention_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace attend::align {
namespace {

WeightTable shifted(const WeightTable& table, std::size_t steps) {
  WeightTable result = table;
  for (std::size_t row = 0; row + steps < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.columns(); ++column)
      result(row, column) = table(row + steps, column);
  }
  return result;
}

/// Reverses the first `rows` rows.
WeightTable turned(const WeightTable& table, std::size_t rows) {
  WeightTable result = table;
  if (table.empty()) return result;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < table.columns(); ++column)
      result(row, column) = table(rows - 1 - row, column);
  }
  return result;
}

void check_table(const WeightTable& table, const AttentionMatrix& matrix) {
  if (table.rows() == matrix.target.size() && table.columns() == matrix.source.size()) return;
  throw std::logic_error(fmt::format(
      "AttentionMatrix: weights of size [{}, {}] do not fit {} target and {} source tokens",
      table.rows(), table.columns(), matrix.target.size(), matrix.source.size()));
}

}  // namespace

WeightTable::WeightTable(std::size_t rows, std::size_t columns)
    : WeightTable(rows, columns, std::vector<float>(rows * columns)) {}

WeightTable::WeightTable(std::size_t rows, std::size_t columns, std::vector<float> values)
    : rows_(rows), columns_(columns), values_(std::move(values)) {
  if (values_.size() == rows * columns) return;
  throw std::logic_error(fmt::format("WeightTable: {} values do not fit a table of size [{}, {}]",
                                     values_.size(), rows, columns));
}

void AttentionMatrix::check() const {
  if (has_weights()) check_table(weights, *this);
  for (const WeightTable& head : heads) check_table(head, *this);
}

AttentionMatrix of_head(AttentionMatrix matrix, std::size_t head) {
  if (head == 0 || matrix.heads.empty()) return matrix;
  matrix.weights = matrix.heads.at(head - 1);
  return matrix;
}

AttentionMatrix shift_rows(const AttentionMatrix& matrix, std::size_t steps) {
  AttentionMatrix result = matrix;
  result.weights = shifted(matrix.weights, steps);
  for (std::size_t h = 0; h < matrix.heads.size(); ++h)
    result.heads[h] = shifted(matrix.heads[h], steps);
  return result;
}

AttentionMatrix turn_rows(const AttentionMatrix& matrix) {
  const std::size_t tokens = matrix.target_tokens();
  AttentionMatrix result = matrix;
  std::reverse(result.target.begin(), result.target.begin() + static_cast<std::ptrdiff_t>(tokens));
  result.weights = turned(matrix.weights, tokens);
  for (std::size_t h = 0; h < matrix.heads.size(); ++h)
    result.heads[h] = turned(matrix.heads[h], tokens);
  return result;
}

}  // namespace attend::align
