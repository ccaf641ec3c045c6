#include "nn/fused/slot_allocation.h"

#include <torch/autograd.h>

#include "kernels/cells/slot_allocation.h"
#include "nn/for_type_of.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Allocated {
  Tensor weights, order;  // [N, M]
};

template <class T>
kernels::SlotAllocation<T> allocation_work(const Tensor& usage, const Tensor& order) {
  return {usage.size(0), usage.size(1), usage.data_ptr<T>(), order.data_ptr<int64_t>(), nullptr};
}

template <class T>
void run_allocation(const Tensor& usage, const Allocated& to) {
  kernels::SlotAllocation<T> work = allocation_work<T>(usage, to.order);
  work.weights = to.weights.data_ptr<T>();
  kernels::slot_allocation(work);
}

template <class T>
void run_allocation_gradient(const Tensor& usage, const Allocated& arriving, const Tensor& to) {
  kernels::slot_allocation_gradient(kernels::SlotAllocationGradient<T>{
      allocation_work<T>(usage, arriving.order), arriving.weights.data_ptr<T>(), to.data_ptr<T>()});
}

Allocated allocation_computed(const Tensor& usage) {
  const auto options = usage.options().requires_grad(false);
  Allocated to{torch::empty(usage.sizes(), options),
               torch::empty(usage.sizes(), options.dtype(torch::kInt64))};
  for_type_of(usage, [&](auto zero) { run_allocation<decltype(zero)>(usage, to); });
  return to;
}

class SlotAllocationFunction : public torch::autograd::Function<SlotAllocationFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& usage) {
    const Allocated allocated = allocation_computed(usage);
    context->save_for_backward({usage, allocated.order});
    return allocated.weights;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const Allocated from{arriving[0].contiguous(), saved[1]};
    const Tensor d_usage = torch::empty(saved[0].sizes(), saved[0].options().requires_grad(false));
    for_type_of(saved[0], [&](auto zero) {
      run_allocation_gradient<decltype(zero)>(saved[0], from, d_usage);
    });
    return {d_usage};
  }
};

}  // namespace

Tensor slot_allocation(const Tensor& usage) {
  const Tensor dense = usage.contiguous();
  if (!torch::GradMode::is_enabled()) return allocation_computed(dense).weights;
  return SlotAllocationFunction::apply(dense);
}

}  // namespace attend::nn::fused
