#pragma once
#include <cstdint>

namespace attend::kernels {

/// The largest entries of each row of a matrix in falling order; equal entries are ordered by
/// column. Ignores -infinity and NaN; a NaN may hide other entries of its row. If fewer than
/// `width` are found, the remaining `places` and `values` keep their content.
struct TopEntries {
  int64_t rows = 0;
  int64_t columns = 0;
  const float* x = nullptr;   // [rows, columns]
  int64_t width = 0;          // at least 1
  int32_t* places = nullptr;  // [rows, width] columns of the entries
  double* values = nullptr;   // [rows, width]; requires: -infinity before the call
};

/// For small widths: inserts each entry into a sorted list.
void top_entries(const TopEntries& search);

}  // namespace attend::kernels
