#include "nn/fused/ssru.h"

#include <torch/autograd.h>

#include "kernels/cells/ssru.h"
#include "nn/data_or_null.h"
#include "nn/for_type_of.h"
#include "nn/fused/in_place.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
kernels::Ssru<T> ssru_work(const SsruSteps& steps, const Tensor& cells) {
  kernels::Ssru<T> work;
  work.rows = steps.candidates.size(0);
  work.steps = steps.candidates.size(1);
  work.size = steps.candidates.size(2);
  work.candidates = steps.candidates.data_ptr<T>();
  work.gates = steps.gates.data_ptr<T>();
  work.bias = steps.bias.data_ptr<T>();
  work.before = data_or_null<T>(steps.before);
  work.cells = cells.data_ptr<T>();
  return work;
}

struct SsruGradients {
  Tensor candidates, gates, before, bias;  // `before` may be undefined
};

template <class T>
void run_ssru(const SsruSteps& steps, const Tensor& cells, const Tensor& outputs) {
  kernels::Ssru<T> work = ssru_work<T>(steps, cells);
  work.outputs = outputs.data_ptr<T>();
  kernels::ssru(work);
}

template <class T>
void run_ssru_gradient(const SsruSteps& steps, const Tensor& cells, const SsruResult& arriving,
                       const SsruGradients& to) {
  kernels::SsruGradient<T> work;
  work.forward = ssru_work<T>(steps, cells);
  work.d_outputs = arriving.outputs.data_ptr<T>();
  work.d_last = data_or_null<T>(arriving.last);
  work.d_candidates = to.candidates.data_ptr<T>();
  work.d_gates = to.gates.data_ptr<T>();
  work.d_before = data_or_null<T>(to.before);
  work.d_bias = to.bias.data_ptr<T>();
  kernels::ssru_gradient(work);
}

/// Returns {outputs, cells}. Requires: contiguous tensors.
std::pair<Tensor, Tensor> ssru_computed(const SsruSteps& steps) {
  const auto options = steps.candidates.options().requires_grad(false);
  const Tensor cells = torch::empty(steps.candidates.sizes(), options);
  const Tensor outputs = torch::empty(steps.candidates.sizes(), options);
  for_type_of(steps.candidates,
              [&](auto zero) { run_ssru<decltype(zero)>(steps, cells, outputs); });
  return {outputs, cells};
}

Tensor last_of(const Tensor& cells) {
  return cells.select(1, cells.size(1) - 1);
}

class SsruFunction : public torch::autograd::Function<SsruFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& candidates,
                               const Tensor& gates, const Tensor& bias,
                               const c10::optional<Tensor>& given_before,
                               const GradientsInPlace::Pointer& in_place) {
    const Tensor before = or_undefined(given_before);
    const auto [outputs, cells] = ssru_computed({candidates, gates, bias, before});
    context->save_for_backward({candidates, gates, bias, before, cells});
    GradientsInPlace::save(context, in_place);
    return {outputs, last_of(cells).clone()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const SsruSteps steps{saved[0], saved[1], saved[2], saved[3]};
    const auto options = steps.candidates.options().requires_grad(false);
    const SsruResult from{arriving[0].defined() ? arriving[0].contiguous()
                                                : torch::zeros(steps.candidates.sizes(), options),
                          arriving[1].defined() ? arriving[1].contiguous() : Tensor()};
    variable_list gradients(5);
    gradients[0] = torch::empty(steps.candidates.sizes(), options);
    gradients[1] = torch::empty(steps.candidates.sizes(), options);
    if (steps.before.defined()) gradients[3] = torch::empty(steps.before.sizes(), options);
    const SsruGradients to{gradients[0], gradients[1], gradients[3],
                           GradientsInPlace::saved(context)->memory(0, steps.bias, gradients[2])};
    for_type_of(steps.candidates,
                [&](auto zero) { run_ssru_gradient<decltype(zero)>(steps, saved[4], from, to); });
    return gradients;
  }
};

}  // namespace

SsruResult ssru(const SsruSteps& steps) {
  const SsruSteps dense{steps.candidates.contiguous(), steps.gates.contiguous(), steps.bias,
                        steps.before.defined() ? steps.before.contiguous() : Tensor()};
  if (!torch::GradMode::is_enabled()) {
    const auto [outputs, cells] = ssru_computed(dense);
    return {outputs, last_of(cells)};
  }
  const variable_list results =
      SsruFunction::apply(dense.candidates, dense.gates, dense.bias, given(dense.before),
                          GradientsInPlace::of({dense.bias}));
  return {results[0], results[1]};
}

}  // namespace attend::nn::fused
