#include "nn/fused/linear.h"

#include <torch/autograd.h>

#include "kernels/cpu/instructions.h"
#include "kernels/layer/column_sums.h"
#include "kernels/product/gemm.h"
#include "kernels/product/panels.h"
#include "nn/execution.h"
#include "nn/for_type_of.h"
#include "nn/fused/in_place.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {
namespace {

using kernels::Into;
using kernels::Precision;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::size_t kWeights = 3;

Precision precision_of(bool bf16) {
  return bf16 ? Precision::bf16 : Precision::full;
}

Tensor product(const Tensor& x, const Tensor& weight, const Tensor& bias, Precision precision) {
  const Tensor y = torch::empty({x.size(0), weight.size(0)}, x.options());
  for_type_of(x, [&](auto zero) {
    using T = decltype(zero);
    kernels::product_nt(matrix_of<const T>(x), matrix_of<const T>(weight), matrix_of<T>(y),
                        Into::overwrite, precision);
    if (bias.defined()) kernels::add_to_rows(bias.data_ptr<T>(), matrix_of<T>(y));
  });
  return y;
}

void add_weight_gradient(const Tensor& d_y, const Tensor& x, const Tensor& to,
                         Precision precision) {
  for_type_of(x, [&](auto zero) {
    using T = decltype(zero);
    kernels::product_tn(matrix_of<const T>(d_y), matrix_of<const T>(x), matrix_of<T>(to), Into::add,
                        precision);
  });
}

void add_bias_gradient(const Tensor& d_y, const Tensor& to) {
  for_type_of(d_y, [&](auto zero) {
    using T = decltype(zero);
    kernels::add_column_sums(matrix_of<const T>(d_y), to.data_ptr<T>());
  });
}

void input_gradient(const Tensor& d_y, const Tensor& weight, const Tensor& to, Into into,
                    Precision precision) {
  for_type_of(d_y, [&](auto zero) {
    using T = decltype(zero);
    kernels::product_nn(matrix_of<const T>(d_y), matrix_of<const T>(weight), matrix_of<T>(to), into,
                        precision);
  });
}

class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  /// x [N, in], weights [out, in] -> [N, out] for each defined weight; the bias is added to the
  /// first product.
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& first,
                               const c10::optional<Tensor>& second,
                               const c10::optional<Tensor>& third,
                               const c10::optional<Tensor>& bias, bool bf16,
                               const GradientsInPlace::Pointer& in_place) {
    const variable_list weights{first, or_undefined(second), or_undefined(third)};
    context->save_for_backward({x, weights[0], weights[1], weights[2], or_undefined(bias)});
    context->saved_data["bf16"] = bf16;
    GradientsInPlace::save(context, in_place);
    variable_list results;
    for (const Tensor& weight : weights) {
      if (!weight.defined()) continue;
      results.push_back(
          product(x, weight, results.empty() ? or_undefined(bias) : Tensor(), precision_of(bf16)));
    }
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const Precision precision = precision_of(context->saved_data["bf16"].toBool());
    const GradientsInPlace::Pointer in_place = GradientsInPlace::saved(context);
    const Tensor& x = saved[0];
    variable_list gradients(7);
    for (std::size_t i = 0; i < arriving.size(); ++i) {
      if (!arriving[i].defined()) continue;
      const Tensor& weight = saved[1 + i];
      const Tensor d_y = arriving[i].contiguous();
      if (context->needs_input_grad(0)) {
        const Into into = gradients[0].defined() ? Into::add : Into::overwrite;
        if (into == Into::overwrite) gradients[0] = torch::empty(x.sizes(), x.options());
        input_gradient(d_y, weight, gradients[0], into, precision);
      }
      if (context->needs_input_grad(1 + i)) {
        add_weight_gradient(d_y, x, in_place->memory(i, weight, gradients[1 + i]), precision);
      }
      if (i == 0 && saved[4].defined() && context->needs_input_grad(1 + arriving.size())) {
        add_bias_gradient(d_y, in_place->memory(kWeights, saved[4], gradients[4]));
      }
    }
    return gradients;
  }
};

Tensor with_dense_rows(const Tensor& weight) {
  return !weight.defined() || weight.stride(1) == 1 ? weight : weight.contiguous();
}

std::vector<int64_t> sizes_with(const Tensor& x, int64_t features) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = features;
  return sizes;
}

variable_list apply(const Tensor& x, const std::array<Tensor, kWeights>& weights,
                    const Tensor& bias) {
  const Tensor flat = x.reshape({-1, x.size(-1)}).contiguous();
  std::array<Tensor, kWeights> dense;
  for (std::size_t i = 0; i < kWeights; ++i) dense[i] = with_dense_rows(weights[i]);
  variable_list results = LinearFunction::apply(
      flat, dense[0], given(dense[1]), given(dense[2]), given(bias), uses_bf16(x),
      GradientsInPlace::of({dense[0], dense[1], dense[2], bias}));
  for (Tensor& result : results) result = result.view(sizes_with(x, result.size(1)));
  return results;
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return apply(x, {weight, {}, {}}, bias).front();
}

std::array<Tensor, kWeights> linears(const Tensor& x, const std::array<Tensor, kWeights>& weights) {
  const variable_list results = apply(x, weights, {});
  std::array<Tensor, kWeights> by_weight;
  for (std::size_t i = 0; i < results.size(); ++i) by_weight[i] = results[i];
  return by_weight;
}

bool has_fused_linear(const Tensor& x) {
  if (!is_fusible(x) || !torch::GradMode::is_enabled() || x.numel() == 0) return false;
  return x.scalar_type() == torch::kFloat64 || uses_bf16(x) ||
         (kernels::has_panels(Precision::full) &&
          kernels::instructions_in_use() >= kernels::Instructions::avx512);
}

}  // namespace attend::nn::fused
