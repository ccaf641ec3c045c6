#pragma once
#include <cstdint>

namespace attend::kernels {

/// The largest entries of each row of a matrix, in falling order; of equal ones that of the lower
/// column first. -infinity and NaN are never taken, and NaN may hide other entries of its row;
/// where fewer than `width` are found, `places` and `values` keep what they held.
struct TopEntries {
  int64_t rows = 0;
  int64_t columns = 0;
  const float* x = nullptr;   // [rows, columns]
  int64_t width = 0;          // at least 1
  int32_t* places = nullptr;  // [rows, width] columns
  double* values = nullptr;   // [rows, width]; -infinity before
};

/// Meant for small widths: a new entry is inserted into the list of those found.
void top_entries(const TopEntries& search);

}  // namespace attend::kernels
