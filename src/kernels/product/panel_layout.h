#pragma once
/// Layout of operands for the products of panels.h: panels of a few columns, unit after unit,
/// padded with zeros. See panel_tile.h for ATTEND_TARGET and `Set`, which here also has:
///   convert_along(x, count, to)
///     converts x[0, count) along k to units, the last one padded with zeros
///   convert_across(x, k, column, to)
///     converts kLanes columns of x [k, n] to units, with zeros beyond the last column; `to` is
///     aligned
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/transpose.h"
#include "kernels/product/gemm.h"
#include "kernels/product/panel_tile.h"

namespace attend::kernels {
namespace {

constexpr std::size_t kPanelAlignment = 64;  // bytes
constexpr int64_t kPart = 16;                // units that are transposed at a time

/// Writes a panel [units, kWidth], aligned, of the columns of x [k, n] from `column` on, for k in
/// [begin, end). Requires: `begin` is the start of a unit.
template <class Set, int64_t kWidth>
ATTEND_TARGET void lay_out_columns(Matrix<const float> x, int64_t column, int64_t begin,
                                   int64_t end, typename Set::LeftUnit* to) {
  for (int64_t k = begin; k < end; k += Set::kDepth, to += kWidth) {
    for (int64_t lane = 0; lane < kWidth; lane += Set::kLanes) {
      Set::convert_across(x, k, column + lane, to + lane);
    }
  }
}

/// Writes a panel [units, kPanelWidth], aligned, of the rows of x [n, k] from `row` on.
template <class Set>
ATTEND_TARGET void lay_out_rows(Matrix<const float> x, int64_t row, typename Set::RightUnit* to) {
  constexpr int64_t kWidth = kPanelWidth<Set>;
  alignas(kPanelAlignment) typename Set::RightUnit part[kWidth][kPart] = {};
  const int64_t rows = std::min(kWidth, x.rows - row);
  const int64_t units = units_of<Set>(x.columns);
  for (int64_t begin = 0; begin < units; begin += kPart) {
    const int64_t k = begin * Set::kDepth;
    const int64_t count = std::min(kPart * Set::kDepth, x.columns - k);
    for (int64_t i = 0; i < rows; ++i) {
      Set::convert_along(x.data + (row + i) * x.stride + k, count, part[i]);
    }
    const int64_t whole = std::min(kPart, units - begin);
    if (whole == kPart) {
      transpose(part[0], kWidth, kPart, kPart, to, kWidth);
    } else {
      for (int64_t unit = 0; unit < whole; ++unit) {
        for (int64_t i = 0; i < kWidth; ++i) to[unit * kWidth + i] = part[i][unit];
      }
    }
    to += whole * kWidth;
  }
}

/// Converts rows [begin, end) of x [m, k] for k in [k_begin, k_end) to rows without gaps.
template <class Set>
ATTEND_TARGET void convert_rows(Matrix<const float> x, int64_t begin, int64_t end, int64_t k_begin,
                                int64_t k_end, typename Set::LeftUnit* to) {
  for (int64_t row = begin; row < end; ++row, to += units_of<Set>(k_end - k_begin)) {
    Set::convert_along(x.data + row * x.stride + k_begin, k_end - k_begin, to);
  }
}

}  // namespace
}  // namespace attend::kernels
