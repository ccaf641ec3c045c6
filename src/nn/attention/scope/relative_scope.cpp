#include "nn/attention/scope/relative_scope.h"

#include <utility>

namespace attend::nn {

RelativeScope::RelativeScope(std::shared_ptr<AttentionScope> scope, Sizes sizes, double factor)
    : scope_(register_module("scope", std::move(scope))),
      distance_(sizes.distance),
      factor_(factor),
      keys_(register_parameter("keys", torch::empty({2 * sizes.distance + 1, sizes.head}))),
      values_(register_parameter("values", torch::empty({2 * sizes.distance + 1, sizes.head}))) {}

View RelativeScope::make_view(const torch::Tensor& query, const Memory& memory,
                              int64_t position) const {
  View view = scope_->make_view(query, memory, position);
  const int64_t steps = query.size(1), columns = memory.mask.size(1);
  const auto options = memory.lengths.options();  // int64
  const torch::Tensor own = torch::arange(position, position + steps, options).unsqueeze(1);
  const torch::Tensor distances =
      (torch::arange(columns, options) - own).clamp(-distance_, distance_) + distance_;  // [T, S]
  const torch::Tensor keys = at::embedding(keys_, distances);  // [T, S, C]
  const torch::Tensor bias =
      at::bmm(query.transpose(0, 1) * factor_, keys.transpose(1, 2)).transpose(0, 1);
  view.bias = view.bias.defined() ? view.bias + bias : bias;
  view.offsets = at::embedding(values_, distances);
  return view;
}

void RelativeScope::initialize(const at::Generator& generator) {
  xavier_uniform(keys_, generator);
  xavier_uniform(values_, generator);
}

}  // namespace attend::nn
