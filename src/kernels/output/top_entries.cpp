#include "kernels/output/top_entries.h"

#include <algorithm>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/lanes.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;    // rows per parallel task
constexpr int64_t kBlock = 128;  // entries per block; usually only its maximum is compared

/// Inserts an entry into a falling list and drops the last one.
void insert(double value, int32_t place, int64_t width, int32_t* places, double* values) {
  int64_t i = width - 1;
  for (; i > 0 && values[i - 1] < value; --i) {
    values[i] = values[i - 1];
    places[i] = places[i - 1];
  }
  values[i] = value;
  places[i] = place;
}

ATTEND_ALWAYS_INLINE void top_of(const TopEntries& search, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const float* const entries = search.x + row * search.columns;
    int32_t* const places = search.places + row * search.width;
    double* const values = search.values + row * search.width;
    const double& least = values[search.width - 1];
    for (int64_t block = 0; block < search.columns; block += kBlock) {
      const int64_t block_end = std::min(block + kBlock, search.columns);
      if (!(static_cast<double>(largest_of(entries + block, block_end - block)) > least)) continue;
      for (int64_t k = block; k < block_end; ++k) {
        const auto value = static_cast<double>(entries[k]);
        if (value > least) insert(value, static_cast<int32_t>(k), search.width, places, values);
      }
    }
  }
}

}  // namespace

void top_entries(const TopEntries& search) {
  parallel_clones<top_of>(search, search.rows, kGrain);
}

}  // namespace attend::kernels
