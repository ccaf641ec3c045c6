#include "nn/row_cache.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace attend::nn {
namespace {

/// Copies `from` to the rows of `table` from `row` on. Copies bytes, since LibTorch does not let
/// all code write to tensors created in inference mode.
void copy_rows(const torch::Tensor& from, const torch::Tensor& table, int64_t row) {
  auto* const to = static_cast<std::byte*>(table.data_ptr());
  const int64_t row_bytes = table.size(1) * table.element_size();
  std::memcpy(to + row * row_bytes, from.data_ptr(),
              static_cast<std::size_t>(from.size(0) * row_bytes));
}

}  // namespace

torch::Tensor RowCache::rows(const torch::Tensor& numbers, const Compute& compute) {
  const torch::Tensor dense = numbers.contiguous();
  const auto* const begin = dense.data_ptr<int64_t>();
  const auto* const end = begin + dense.size(0);
  const Numbers absent = missing({begin, end});
  if (!absent.empty()) add(absent, compute(torch::tensor(absent, torch::kInt64)).contiguous());
  const torch::Tensor index = torch::empty_like(dense);
  const std::shared_lock lock(mutex_);
  std::transform(begin, end, index.data_ptr<int64_t>(),
                 [this](int64_t number) { return place(number); });
  return table_.index_select(0, index);
}

int64_t RowCache::place(int64_t number) const {
  return places_[static_cast<std::size_t>(number)];
}

/// The distinct `numbers` that have no row yet.
RowCache::Numbers RowCache::missing(Numbers numbers) const {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const std::shared_lock lock(mutex_);
  std::erase_if(numbers, [this](int64_t number) { return place(number) >= 0; });
  return numbers;
}

void RowCache::add(const Numbers& numbers, const torch::Tensor& computed) {
  const std::lock_guard lock(mutex_);
  make_room(computed, used_ + computed.size(0));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (place(numbers[i]) >= 0) continue;  // added by another thread in the meantime
    copy_rows(computed.narrow(0, static_cast<int64_t>(i), 1), table_, used_);
    places_[static_cast<std::size_t>(numbers[i])] = used_++;
  }
}

void RowCache::make_room(const torch::Tensor& like, int64_t rows) {
  const int64_t room = table_.defined() ? table_.size(0) : 0;
  if (rows <= room) return;
  const auto most = static_cast<int64_t>(places_.size());
  const torch::Tensor larger =
      torch::empty({std::min(std::max(rows, 2 * room), most), like.size(1)}, like.options());
  if (used_ > 0) copy_rows(table_.narrow(0, 0, used_), larger, 0);
  table_ = larger;
}

}  // namespace attend::nn
