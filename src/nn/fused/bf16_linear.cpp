#include "nn/fused/bf16_linear.h"

#include <torch/autograd.h>

#include "nn/fused/rounded.h"

namespace attend::nn::fused {
namespace {

using kernels::Bf16Product;
using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// a b as [m, n] for operands as Bf16Product takes them.
Tensor product(const Tensor& a, const Tensor& b, const Bf16Product::Sizes& sizes) {
  Tensor c = torch::empty({sizes.m, sizes.n}, torch::kFloat32);
  Bf16Product(sizes, sizes.n, Into::overwrite)(data_of(a), data_of(b), c.data_ptr<float>());
  return c;
}

class Bf16Linear : public torch::autograd::Function<Bf16Linear> {
 public:
  /// x [N, in], weight [out, in] -> [N, out].
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight) {
    const Tensor rounded_x = rounded(x), rounded_weight = rounded(weight);
    context->save_for_backward({rounded_x, rounded_weight});
    return product(rounded_x, rounded_weight,
                   {x.size(0), weight.size(0), x.size(1), false, /*b_transposed=*/true});
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const Tensor d_y = rounded(arriving[0]);
    const int64_t rows = saved[0].size(0), in = saved[0].size(1), out = saved[1].size(0);
    Tensor d_x, d_weight;
    if (context->needs_input_grad(0)) d_x = product(d_y, saved[1], {rows, in, out, false, false});
    if (context->needs_input_grad(1)) {
      d_weight = product(d_y, saved[0], {out, in, rows, /*a_transposed=*/true, false});
    }
    return {d_x, d_weight};
  }
};

}  // namespace

Tensor bf16_linear(const Tensor& x, const Tensor& weight) {
  const Tensor flat = x.reshape({-1, x.size(-1)});
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return Bf16Linear::apply(flat, weight).view(sizes);
}

}  // namespace attend::nn::fused
