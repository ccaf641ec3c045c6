#include "nn/fused/rectify.h"

#include <torch/autograd.h>

#include "kernels/layer/rectify.h"
#include "nn/for_type_of.h"
#include "nn/fused/in_place.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void run_rectify(const Tensor& x, const Tensor& bias, const DropoutMask& dropout, const Tensor& y) {
  kernels::Rectify<T> work;
  work.size = x.size(-1);
  work.rows = x.numel() / work.size;
  work.x = x.data_ptr<T>();
  work.bias = bias.data_ptr<T>();
  work.dropout = dropout.rule(x.sizes());
  work.y = y.data_ptr<T>();
  kernels::rectify(work);
}

struct RectifyGradients {
  Tensor x, bias;
};

template <class T>
void run_rectify_gradient(const Tensor& y, double probability, const Tensor& d_y,
                          const RectifyGradients& to) {
  kernels::RectifyGradient<T> work;
  work.size = y.size(-1);
  work.rows = y.numel() / work.size;
  work.y = y.data_ptr<T>();
  work.probability = probability;
  work.d_y = d_y.data_ptr<T>();
  work.d_x = to.x.data_ptr<T>();
  work.d_bias = to.bias.data_ptr<T>();
  kernels::rectify_gradient(work);
}

class RectifyFunction : public torch::autograd::Function<RectifyFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& bias,
                        const DropoutMask& dropout, const GradientsInPlace::Pointer& in_place) {
    const Tensor y = torch::empty(x.sizes(), x.options().requires_grad(false));
    for_type_of(x, [&](auto zero) { run_rectify<decltype(zero)>(x, bias, dropout, y); });
    context->save_for_backward({y, bias});
    context->saved_data["probability"] = dropout.probability;
    GradientsInPlace::save(context, in_place);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const double probability = context->saved_data["probability"].toDouble();
    const Tensor& y = saved[0];
    const Tensor d_y = arriving[0].contiguous();
    variable_list gradients(4);
    gradients[0] = torch::empty(y.sizes(), y.options());
    const RectifyGradients to{gradients[0],
                              GradientsInPlace::saved(context)->memory(0, saved[1], gradients[1])};
    for_type_of(y,
                [&](auto zero) { run_rectify_gradient<decltype(zero)>(y, probability, d_y, to); });
    return gradients;
  }
};

}  // namespace

Tensor rectify(const Tensor& x, const Tensor& bias, const DropoutMask& dropout) {
  return RectifyFunction::apply(x.contiguous(), bias, dropout, GradientsInPlace::of({bias}));
}

}  // namespace attend::nn::fused
