#include "nn/fused/add_norm.h"

#include <torch/autograd.h>

#include "kernels/layer/add_norm.h"
#include "nn/data_or_null.h"
#include "nn/for_type_of.h"
#include "nn/fused/in_place.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct NormMemory {
  Tensor sum, y, statistics;
};

/// Requires: all contiguous.
template <class T>
void run(const AddNorm& added, const NormMemory& to) {
  kernels::AddNorm<T> work;
  work.size = added.x.size(-1);
  work.rows = added.x.numel() / work.size;
  work.x = added.x.data_ptr<T>();
  work.part = data_or_null<T>(added.part);
  work.dropout = added.dropout.rule(added.x.sizes());
  work.gain = added.gain.data_ptr<T>();
  work.bias = added.bias.data_ptr<T>();
  work.sum = data_or_null<T>(to.sum);
  work.y = to.y.data_ptr<T>();
  work.statistics = data_or_null<T>(to.statistics);
  kernels::add_norm(work);
}

NormMemory computed(const AddNorm& added, bool for_gradient) {
  const auto options = added.x.options().requires_grad(false);
  NormMemory to;
  if (added.part.defined()) to.sum = torch::empty(added.x.sizes(), options);
  to.y = torch::empty(added.x.sizes(), options);
  if (for_gradient) to.statistics = torch::empty({added.x.numel() / added.x.size(-1), 2}, options);
  for_type_of(added.x, [&](auto zero) { run<decltype(zero)>(added, to); });
  return to;
}

struct NormGradient {
  Tensor sum, statistics, gain;
  DropoutMask dropout;
  Tensor d_sum, d_y;   // d_sum may be undefined
  Tensor d_x, d_part;  // d_part undefined: equal to d_x
  Tensor d_gain, d_bias;
};

template <class T>
void run_gradient(const NormGradient& gradient) {
  kernels::AddNormGradient<T> work;
  work.size = gradient.sum.size(-1);
  work.rows = gradient.sum.numel() / work.size;
  work.sum = gradient.sum.data_ptr<T>();
  work.statistics = gradient.statistics.data_ptr<T>();
  work.gain = gradient.gain.data_ptr<T>();
  work.dropout = gradient.dropout.rule(gradient.sum.sizes());
  work.d_sum = data_or_null<T>(gradient.d_sum);
  work.d_y = gradient.d_y.data_ptr<T>();
  work.d_x = gradient.d_x.data_ptr<T>();
  work.d_part = data_or_null<T>(gradient.d_part);
  work.d_gain = gradient.d_gain.data_ptr<T>();
  work.d_bias = gradient.d_bias.data_ptr<T>();
  kernels::add_norm_gradient(work);
}

class AddNormFunction : public torch::autograd::Function<AddNormFunction> {
 public:
  /// Returns {norm, sum}, or only {norm} if there is no part.
  static variable_list forward(AutogradContext* context, const Tensor& x,
                               const c10::optional<Tensor>& given_part, const Tensor& gain,
                               const Tensor& bias, const DropoutMask& dropout,
                               const GradientsInPlace::Pointer& in_place) {
    const Tensor part = or_undefined(given_part);
    const NormMemory to =
        computed({.x = x, .part = part, .dropout = dropout, .gain = gain, .bias = bias}, true);
    context->save_for_backward({part.defined() ? to.sum : x, to.statistics, gain});
    context->saved_data["has_part"] = part.defined();
    dropout.save(*context);
    GradientsInPlace::save(context, in_place);
    return part.defined() ? variable_list{to.y, to.sum} : variable_list{to.y};
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const GradientsInPlace::Pointer in_place = GradientsInPlace::saved(context);
    NormGradient gradient;
    gradient.sum = saved[0];
    gradient.statistics = saved[1];
    gradient.gain = saved[2];
    gradient.dropout = DropoutMask::saved(*context);
    const auto options = saved[0].options().requires_grad(false);
    gradient.d_y =
        arriving[0].defined() ? arriving[0].contiguous() : torch::zeros(saved[0].sizes(), options);
    if (arriving.size() > 1 && arriving[1].defined()) gradient.d_sum = arriving[1].contiguous();
    gradient.d_x = torch::empty(saved[0].sizes(), options);
    const bool has_part = context->saved_data["has_part"].toBool();
    if (has_part && gradient.dropout.probability > 0.0)
      gradient.d_part = torch::empty(saved[0].sizes(), options);
    variable_list gradients(6);
    gradient.d_gain = in_place->memory(0, saved[2], gradients[2]);
    gradient.d_bias = in_place->memory(1, saved[2], gradients[3]);
    for_type_of(saved[0], [&](auto zero) { run_gradient<decltype(zero)>(gradient); });
    gradients[0] = gradient.d_x;
    if (has_part) gradients[1] = gradient.d_part.defined() ? gradient.d_part : gradient.d_x;
    return gradients;
  }
};

}  // namespace

AddedNorm add_norm(const AddNorm& added) {
  AddNorm dense = added;
  dense.x = added.x.contiguous();
  if (added.part.defined()) dense.part = added.part.contiguous();
  if (!torch::GradMode::is_enabled()) {
    const NormMemory to = computed(dense, false);
    return {to.sum.defined() ? to.sum : dense.x, to.y};
  }
  const variable_list results =
      AddNormFunction::apply(dense.x, given(dense.part), dense.gain, dense.bias, dense.dropout,
                             GradientsInPlace::of({dense.gain, dense.bias}));
  return {results.size() > 1 ? results[1] : dense.x, results[0]};
}

}  // namespace attend::nn::fused
