#include "nn/fused/bf16_linear.h"

#include <torch/autograd.h>

#include "nn/execution.h"
#include "nn/fused/rounded.h"

namespace attend::nn::fused {
namespace {

using kernels::Bf16Product;
using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// c [m, n] (+)= a b for operands as Bf16Product takes them.
void multiply(const Tensor& a, const Tensor& b, const Bf16Product::Sizes& sizes, Tensor c,
              Into into) {
  Bf16Product(sizes, c.stride(0), into)(data_of(a), data_of(b), c.data_ptr<float>());
}

/// a b as [m, n].
Tensor product(const Tensor& a, const Tensor& b, const Bf16Product::Sizes& sizes) {
  Tensor c = torch::empty({sizes.m, sizes.n}, torch::kFloat32);
  multiply(a, b, sizes, c, Into::overwrite);
  return c;
}

/// gradient_in_place() of a weight.
struct InPlace : torch::CustomClassHolder {
  explicit InPlace(const Tensor& weight) : gradient(gradient_in_place(weight)) {}
  Tensor gradient;
};

class Bf16Linear : public torch::autograd::Function<Bf16Linear> {
 public:
  /// x [N, in], weight [out, in] -> [N, out].
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const c10::intrusive_ptr<InPlace>& in_place) {
    const Tensor rounded_x = rounded(x), rounded_weight = rounded(weight);
    context->save_for_backward({rounded_x, rounded_weight});
    context->saved_data["in_place"] = c10::IValue::make_capsule(in_place);
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
      const Bf16Product::Sizes sizes{out, in, rows, /*a_transposed=*/true, false};
      const auto in_place =
          c10::static_intrusive_pointer_cast<InPlace>(context->saved_data["in_place"].toCapsule());
      if (in_place->gradient.defined()) {
        multiply(d_y, saved[0], sizes, in_place->gradient, Into::add);
      } else {
        d_weight = product(d_y, saved[0], sizes);
      }
    }
    return {d_x, d_weight, Tensor()};
  }
};

}  // namespace

Tensor bf16_linear(const Tensor& x, const Tensor& weight) {
  const Tensor flat = x.reshape({-1, x.size(-1)});
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return Bf16Linear::apply(flat, weight, c10::make_intrusive<InPlace>(weight)).view(sizes);
}

}  // namespace attend::nn::fused
