#include "decode/length_batches.h"

#include <algorithm>
#include <numeric>

namespace attend::decode {

namespace {

constexpr int64_t kWindowBatches = 20;
constexpr std::size_t kUsualLength = 31;  // assumed pieces per line if `size` counts tokens

}  // namespace

int64_t BatchSize::lines(std::size_t longest) const {
  const auto pieces = static_cast<int64_t>(longest);
  if (in_tokens) return std::max<int64_t>(1, size / (pieces + 1));
  if (longest <= kWholeBatchLength) return size;
  return std::max<int64_t>(1, static_cast<int64_t>(kWholeBatchLength) * size / pieces);
}

int64_t BatchSize::window() const {
  return kWindowBatches * lines(kUsualLength);
}

BatchSize batch_size_of(const DecodingOptions& options) {
  return {options.batch_size, options.batch_unit == data::BatchUnit::tokens};
}

std::vector<std::vector<std::size_t>> length_batches(std::span<const std::size_t> lengths,
                                                     const BatchSize& size) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t begin = 0; begin < order.size(); begin += batches.back().size()) {
    const auto most = static_cast<std::size_t>(size.lines(lengths[order[begin]]));
    const std::size_t end = std::min(begin + most, order.size());
    batches.emplace_back(order.begin() + static_cast<int64_t>(begin),
                         order.begin() + static_cast<int64_t>(end));
  }
  return batches;
}

}  // namespace attend::decode
