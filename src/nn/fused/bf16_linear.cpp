#include "nn/fused/bf16_linear.h"

#include <torch/autograd.h>

#include "kernels/gemm.h"
#include "nn/execution.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {
namespace {

using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr auto kBf16 = kernels::Precision::bf16;

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
    context->save_for_backward({x, weight});
    context->saved_data["in_place"] = c10::IValue::make_capsule(in_place);
    const Tensor y = torch::empty({x.size(0), weight.size(0)}, x.options());
    kernels::product_nt(matrix_of<const float>(x), matrix_of<const float>(weight),
                        matrix_of<float>(y), Into::overwrite, kBf16);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], d_y = arriving[0].contiguous();
    Tensor d_x, d_weight;
    if (context->needs_input_grad(0)) {
      d_x = torch::empty(x.sizes(), x.options());
      kernels::product_nn(matrix_of<const float>(d_y), matrix_of<const float>(weight),
                          matrix_of<float>(d_x), Into::overwrite, kBf16);
    }
    if (context->needs_input_grad(1)) {
      const auto in_place =
          c10::static_intrusive_pointer_cast<InPlace>(context->saved_data["in_place"].toCapsule());
      Tensor to = in_place->gradient;
      if (!to.defined()) to = d_weight = torch::zeros(weight.sizes(), weight.options());
      kernels::product_tn(matrix_of<const float>(d_y), matrix_of<const float>(x),
                          matrix_of<float>(to), Into::add, kBf16);
    }
    return {d_x, d_weight, Tensor()};
  }
};

}  // namespace

Tensor bf16_linear(const Tensor& x, const Tensor& weight) {
  const Tensor flat = x.reshape({-1, x.size(-1)}).contiguous();
  const Tensor dense = weight.stride(1) == 1 ? weight : weight.contiguous();
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return Bf16Linear::apply(flat, dense, c10::make_intrusive<InPlace>(dense)).view(sizes);
}

}  // namespace attend::nn::fused
