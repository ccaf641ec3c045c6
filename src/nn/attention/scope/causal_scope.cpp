#include "nn/attention/scope/causal_scope.h"

#include <utility>

namespace attend::nn {

CausalScope::CausalScope(std::shared_ptr<AttentionScope> scope)
    : scope_(register_module("scope", std::move(scope))) {}

View CausalScope::make_view(const torch::Tensor& query, const Memory& memory,
                            int64_t position) const {
  View view = scope_->make_view(query, memory, position);
  const int64_t steps = query.size(1), columns = memory.mask.size(1);
  if (steps == 1 && columns == position + 1) return view;  // no later position
  const auto options = memory.lengths.options();           // int64
  const torch::Tensor own = torch::arange(position, position + steps, options).unsqueeze(1);
  const torch::Tensor shown =
      view.positions.defined() ? view.positions : torch::arange(columns, options);
  view.mask = view.mask.logical_and(shown <= own);
  return view;
}

std::optional<WholeView> CausalScope::whole_view() const {
  std::optional<WholeView> view = scope_->whole_view();
  if (view) view->causal = true;
  return view;
}

}  // namespace attend::nn
