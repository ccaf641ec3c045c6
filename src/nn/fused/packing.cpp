#include "nn/fused/packing.h"

#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "nn/shape.h"

namespace attend::nn::fused {
namespace {

/// Batches of more than kUnit sequences round the rows of a step up to a multiple of kUnit.
constexpr int64_t kUnit = 8;

/// Number of rows, maybe rounded up, of a step that `real` of `all` sequences have.
int64_t rows_for(int64_t real, int64_t all) {
  return all <= kUnit ? real : std::min(all, (real + kUnit - 1) / kUnit * kUnit);
}

/// Number of rows of each step. Requires: `order` sorts the sequences by falling length.
std::vector<int64_t> rows_by_step(const std::vector<int64_t>& lengths,
                                  const std::vector<int64_t>& order) {
  const auto all = static_cast<int64_t>(order.size());
  std::vector<int64_t> rows;
  int64_t real = all;
  for (int64_t step = 0; step < lengths[static_cast<std::size_t>(order.front())]; ++step) {
    while (lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(real - 1)])] <= step) {
      --real;
    }
    rows.push_back(rows_for(real, all));
  }
  return rows;
}

void check(const torch::Tensor& lengths, int64_t steps) {
  check_shape(lengths, {kAny}, "Packing lengths");
  if (!lengths.is_cpu() || lengths.scalar_type() != torch::kInt64 || lengths.size(0) == 0) {
    throw std::logic_error("Packing: expected lengths [N] int64 on the CPU, N >= 1");
  }
  const torch::Tensor dense = lengths.contiguous();
  const int64_t* const first = dense.data_ptr<int64_t>();
  const auto [least, most] = std::minmax_element(first, first + dense.size(0));
  if (*least < 1 || *most > steps) {
    throw std::logic_error("Packing: expected lengths from 1 to the number of steps");
  }
}

torch::Tensor filled(int64_t size, int64_t value) {
  return torch::full({size}, value, torch::kInt64);
}

}  // namespace

Packing::Packing(const torch::Tensor& lengths, int64_t steps, torch::Device device)
    : positions_(steps), device_(device) {
  check(lengths, steps);
  const auto sequences = static_cast<std::size_t>(lengths.size(0));
  const torch::Tensor dense = lengths.contiguous();
  lengths_.assign(dense.data_ptr<int64_t>(), dense.data_ptr<int64_t>() + sequences);
  std::vector<int64_t>& order = order_of_rows_;
  order.resize(sequences);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [this](int64_t a, int64_t b) {
    return lengths_[static_cast<std::size_t>(a)] > lengths_[static_cast<std::size_t>(b)];
  });
  steps_ = std::make_shared<kernels::Steps>(rows_by_step(lengths_, order));
  order_ = on_device(torch::tensor(order, torch::kInt64));
  torch::Tensor last = filled(lengths.size(0), 0);
  for (std::size_t row = 0; row < sequences; ++row) {
    const int64_t step = lengths_[static_cast<std::size_t>(order[row])] - 1;
    last.data_ptr<int64_t>()[order[row]] = steps_->begin(step) + static_cast<int64_t>(row);
  }
  last_ = on_device(last);
}

Packing::Packing(int64_t sequences)
    : positions_(1), steps_(std::make_shared<kernels::Steps>(std::vector<int64_t>{sequences})) {}

torch::Tensor Packing::on_device(const torch::Tensor& numbers) const {
  return numbers.to(device_, /*non_blocking=*/true);
}

const RowMap& Packing::map(ReadingDirection reading) const {
  RowMap& map = maps_[reading == ReadingDirection::forward ? 0 : 1];
  if (!map.index.defined()) map = new_map(reading);
  return map;
}

RowMap Packing::new_map(ReadingDirection reading) const {
  RowMap map{filled(steps_->total(), -1), filled(sequences() * positions_, -1)};
  for (int64_t step = 0; step < steps_->count(); ++step) {
    for (int64_t row = 0; row < steps_->rows(step); ++row) {
      const int64_t sequence = order_of_rows_[static_cast<std::size_t>(row)];
      const int64_t length = lengths_[static_cast<std::size_t>(sequence)];
      if (step >= length) break;  // the following sequences are not longer
      const int64_t position = reading == ReadingDirection::forward ? step : length - 1 - step;
      const int64_t from = sequence * positions_ + position, to = steps_->begin(step) + row;
      map.index.data_ptr<int64_t>()[to] = from;
      map.inverse.data_ptr<int64_t>()[from] = to;
    }
  }
  return {on_device(map.index), on_device(map.inverse)};
}

torch::Tensor Packing::pack(const torch::Tensor& x, ReadingDirection reading) const {
  check_shape(x, {sequences(), positions_, kAny}, "Packing::pack x");
  const torch::Tensor rows = x.flatten(0, 1);
  return order_.defined() ? gathered_rows({{rows, map(reading)}}) : rows;
}

IndexedRows Packing::pack(const IndexedRows& x, ReadingDirection reading) const {
  if (!x.index.defined()) return pack(x.rows, reading);
  check_shape(x.index, {sequences(), positions_}, "Packing::pack index");
  const torch::Tensor numbers = x.index.flatten();
  if (!order_.defined()) return {x.rows, numbers};
  const torch::Tensor from = map(reading).index;
  return {x.rows, numbers.index_select(0, from.clamp_min(0)).masked_fill_(from < 0, -1)};
}

torch::Tensor Packing::unpack(const std::vector<Packed>& parts) const {
  std::vector<GatheredRows> gathered;
  for (const Packed& part : parts) {
    check_shape(part.rows, {steps_->total(), kAny}, "Packing::unpack rows");
    const RowMap& forth = map(part.reading);
    gathered.push_back({part.rows, {forth.inverse, forth.index}});
  }
  return gathered_rows(gathered).unflatten(0, {order_.size(0), positions_});
}

}  // namespace attend::nn::fused
