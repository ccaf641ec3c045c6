#include "metrics/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attend::metrics {
namespace {

constexpr double kBeamWidth = 25;
// The cost of cells outside the band: larger than any distance, and small enough to add to.
constexpr int32_t kOutside = 1 << 29;

}  // namespace

BandedEditDistance::BandedEditDistance(std::span<const uint32_t> reference,
                                       std::size_t hypothesis_length)
    : reference_(reference) {
  lay_out(hypothesis_length);
  base_.resize(rows_.back().offset +
               static_cast<std::size_t>(rows_.back().end - rows_.back().begin));
  std::iota(base_.begin(), base_.begin() + rows_.front().end, 0);
  other_ = base_;
}

void BandedEditDistance::lay_out(std::size_t hypothesis_length) {
  const auto columns = static_cast<int64_t>(reference_.size()) + 1;
  rows_.push_back({0, columns, 0});
  if (hypothesis_length == 0) return;
  const double slope =
      static_cast<double>(reference_.size()) / static_cast<double>(hypothesis_length);
  const double width = kBeamWidth < slope / 2 ? std::ceil(slope / 2 + kBeamWidth) : kBeamWidth;
  for (std::size_t row = 1; row <= hypothesis_length; ++row) {
    const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(row) * slope));
    const auto beam = static_cast<int64_t>(width);
    const Row& last = rows_.back();
    rows_.push_back({.begin = std::max(int64_t{0}, diagonal - beam),
                     .end = std::min(columns, diagonal + beam),
                     .offset = last.offset + static_cast<std::size_t>(last.end - last.begin)});
  }
  rows_.back().end = columns;
}

int32_t BandedEditDistance::cost(const Matrix& matrix, std::size_t row, int64_t column) const {
  const Row& at = rows_[row];
  if (column < at.begin || column >= at.end) return kOutside;
  return matrix[at.offset + static_cast<std::size_t>(column - at.begin)];
}

int64_t BandedEditDistance::fill_row(std::size_t row, uint32_t word, const Matrix& above,
                                     Matrix& matrix) const {
  const Row& at = rows_[row];
  const auto rows_left = static_cast<int64_t>(rows_.size() - 1 - row);
  const auto columns = static_cast<int64_t>(reference_.size());
  int32_t left = kOutside;
  int32_t diagonal = cost(above, row - 1, at.begin - 1);
  int64_t bound = kOutside;
  int32_t* out = matrix.data() + at.offset;
  for (int64_t column = at.begin; column < at.end; ++column) {
    const int32_t up = cost(above, row - 1, column);
    const bool same = column > 0 && reference_[static_cast<std::size_t>(column - 1)] == word;
    left = std::min({diagonal + (same ? 0 : 1), up + 1, left + 1});
    *out++ = left;
    diagonal = up;
    // The rest costs at least the difference between the lengths of the remaining texts.
    bound = std::min(bound, left + std::abs(columns - column - rows_left));
  }
  return bound;
}

int64_t BandedEditDistance::set_base(std::span<const uint32_t> hypothesis) {
  base_words_.assign(hypothesis.begin(), hypothesis.end());
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    fill_row(row, hypothesis[row - 1], base_, base_);
  }
  return total(base_);
}

std::optional<int64_t> BandedEditDistance::distance_within(std::span<const uint32_t> hypothesis,
                                                           std::size_t same, int64_t limit) {
  for (std::size_t row = same + 1; row < rows_.size(); ++row) {
    const Matrix& above = row == same + 1 ? base_ : other_;
    if (fill_row(row, hypothesis[row - 1], above, other_) > limit) return std::nullopt;
  }
  const int64_t distance = total(same + 1 < rows_.size() ? other_ : base_);
  return distance <= limit ? std::optional(distance) : std::nullopt;
}

WordAlignment BandedEditDistance::align() const {
  WordAlignment alignment{.position = std::vector<int64_t>(reference_.size()),
                          .reference_error = std::vector<bool>(reference_.size(), true),
                          .hypothesis_error = std::vector<bool>(rows_.size() - 1, true)};
  std::size_t row = rows_.size() - 1;
  std::size_t column = reference_.size();
  while (row > 0 || column > 0) {
    const auto at = static_cast<int64_t>(column);
    const int32_t here = cost(base_, row, at);
    const bool same = row > 0 && column > 0 && base_words_[row - 1] == reference_[column - 1];
    if (row > 0 && column > 0 && here == cost(base_, row - 1, at - 1) + (same ? 0 : 1)) {
      --row;
      --column;
      alignment.position[column] = static_cast<int64_t>(row);
      alignment.reference_error[column] = alignment.hypothesis_error[row] = !same;
    } else if (row > 0 && here == cost(base_, row - 1, at) + 1) {
      --row;
    } else {
      --column;
      alignment.position[column] = static_cast<int64_t>(row) - 1;
    }
  }
  return alignment;
}

}  // namespace attend::metrics
