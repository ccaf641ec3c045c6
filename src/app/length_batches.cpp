#include "app/length_batches.h"

#include <algorithm>
#include <numeric>

namespace attend::app {

namespace {

std::size_t lines_of_batch(std::size_t longest, std::size_t size) {
  if (longest <= kWholeBatchLength) return size;
  return std::max<std::size_t>(1, kWholeBatchLength * size / longest);
}

}  // namespace

std::vector<std::vector<std::size_t>> length_batches(std::span<const std::size_t> lengths,
                                                     int64_t size) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t begin = 0; begin < order.size(); begin += batches.back().size()) {
    const std::size_t most = lines_of_batch(lengths[order[begin]], static_cast<std::size_t>(size));
    const std::size_t end = std::min(begin + most, order.size());
    batches.emplace_back(order.begin() + static_cast<int64_t>(begin),
                         order.begin() + static_cast<int64_t>(end));
  }
  return batches;
}

}  // namespace attend::app
