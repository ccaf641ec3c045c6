#include "nn/attention/groups.h"

namespace attend::nn {
namespace {

/// Repeats `columns` [N, G, L] for each query: [N, T, G * L].
torch::Tensor for_each_query(const torch::Tensor& columns, int64_t queries) {
  return columns.flatten(1).unsqueeze(1).expand({-1, queries, -1});
}

}  // namespace

Groups::Groups(const Memory& memory) : columns_(memory.columns), positions_(memory.mask.size(1)) {
  const torch::Tensor safe = columns_.clamp_max(positions_ - 1);
  seen_ = memory.mask.gather(1, safe.flatten(1))
              .view(columns_.sizes())
              .logical_and(columns_.lt(positions_));
  present_ = seen_.any(2);
}

torch::Tensor Groups::gathered(const torch::Tensor& x) const {
  const torch::Tensor safe = columns_.clamp_max(positions_ - 1);
  return x.gather(2, for_each_query(safe, x.size(1)))
      .unflatten(2, {columns_.size(1), columns_.size(2)});
}

torch::Tensor Groups::scattered(const torch::Tensor& x) const {
  // Padding entries are written to an extra last column, which is cut off.
  return torch::zeros({x.size(0), x.size(1), positions_ + 1}, x.options())
      .scatter(2, for_each_query(columns_, x.size(1)), x.flatten(2))
      .narrow(2, 0, positions_)
      .contiguous();
}

torch::Tensor Groups::owner() const {
  const torch::Tensor group = torch::arange(columns_.size(1), columns_.options()).view({1, -1, 1});
  return torch::full({columns_.size(0), positions_ + 1}, -1, columns_.options())
      .scatter(1, columns_.flatten(1), group.expand_as(columns_).flatten(1))
      .narrow(1, 0, positions_);
}

Memory groups_as_memory(const Memory& memory) {
  const torch::Tensor present = Groups(memory).present();
  return {memory.group_keys, memory.group_keys, present, present.sum(1)};
}

}  // namespace attend::nn
