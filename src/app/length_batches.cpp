#include "app/length_batches.h"

#include <algorithm>
#include <numeric>

namespace attend::app {

std::vector<std::vector<std::size_t>> length_batches(std::span<const std::size_t> lengths,
                                                     int64_t size) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t begin = 0; begin < order.size(); begin += static_cast<std::size_t>(size)) {
    const auto end = std::min(begin + static_cast<std::size_t>(size), order.size());
    batches.emplace_back(order.begin() + static_cast<int64_t>(begin),
                         order.begin() + static_cast<int64_t>(end));
  }
  return batches;
}

}  // namespace attend::app
