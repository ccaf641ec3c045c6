#include "nn/device/linear.h"

#include <torch/autograd.h>
#include <torch/version.h>

#include "nn/device/rounded_weights.h"
#include "nn/execution.h"
#include "nn/fused/in_place.h"

#define ATTEND_HAS_PRODUCT_TYPE \
  (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 8))

namespace attend::nn::device {
namespace {

using fused::given;
using fused::GradientsInPlace;
using fused::or_undefined;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool is_bf16(const Tensor& x) {
  return x.scalar_type() == torch::kBFloat16;
}

/// Returns a b. Operands in bf16 give a float result, or bf16 if `stays`.
Tensor product(const Tensor& a, const Tensor& b, bool stays = false) {
  return is_bf16(a) && !stays ? bf16_product(a, b) : at::mm(a, b);
}

/// Converts d_y [N, out] to the type of `operand`.
Tensor rounded_like(const Tensor& d_y, const Tensor& operand) {
  return d_y.to(operand.scalar_type());
}

/// Adds the gradient a b to `memory` and returns nothing; without a memory, returns a b.
Tensor added(const Tensor& memory, const Tensor& a, const Tensor& b) {
  if (!memory.defined()) return product(a, b);
  if (is_bf16(a)) {
    Tensor(memory).add_(product(a, b));
  } else {
    Tensor(memory).addmm_(a, b);
  }
  return {};
}

/// Weights with equal inputs that are adjacent in memory, as one matrix; undefined if they are not.
Tensor joined(const variable_list& weights) {
  const Tensor& first = weights.front();
  int64_t rows = 0;
  for (const Tensor& weight : weights) {
    const bool follows = weight.defined() && weight.is_contiguous() &&
                         weight.storage().is_alias_of(first.storage()) &&
                         weight.size(1) == first.size(1) &&
                         weight.storage_offset() == first.storage_offset() + rows * first.size(1);
    if (!follows) return {};
    rows += weight.size(0);
  }
  return first.detach().as_strided({rows, first.size(1)}, {first.size(1), 1});
}

class DeviceLinear : public torch::autograd::Function<DeviceLinear> {
 public:
  /// `read` [N, in] and `weight` [out, in] have the type of the products. They are copies of the
  /// first two arguments, which receive the gradients, as does `bias`.
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& /*weight*/,
                        const c10::optional<Tensor>& bias, const Tensor& weight, const Tensor& read,
                        bool stays, const GradientsInPlace::Pointer& in_place) {
    context->save_for_backward({read, weight});
    context->saved_data["bias"] = or_undefined(bias);
    context->saved_data["reads_bf16"] = is_bf16(x);
    GradientsInPlace::save(context, in_place);
    return compute(read, weight, or_undefined(bias), stays);
  }

  static Tensor compute(const Tensor& x, const Tensor& weight, const Tensor& bias, bool stays) {
    if (is_bf16(x) && !stays) {
      Tensor y = bf16_product(x, weight.t());
      return bias.defined() ? y.add_(bias) : y;
    }
    return bias.defined() ? at::addmm(bias.to(x.scalar_type()), x, weight.t())
                          : at::mm(x, weight.t());
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const GradientsInPlace::Pointer in_place = GradientsInPlace::saved(context);
    const Tensor &x = saved[0], &weight = saved[1], &d_y = arriving[0];
    const Tensor bias = context->saved_data["bias"].toTensor();
    const Tensor operand = rounded_like(d_y, x);
    variable_list gradients(7);
    if (context->needs_input_grad(0))
      gradients[0] = product(operand, weight, context->saved_data["reads_bf16"].toBool());
    if (context->needs_input_grad(1)) {
      gradients[1] = added(in_place->memory_or_none(0), operand.t(), x);
    }
    if (bias.defined() && context->needs_input_grad(2)) {
      gradients[2] = bias_gradient(in_place->memory_or_none(1), d_y, bias);
    }
    return gradients;
  }

 private:
  static Tensor bias_gradient(const Tensor& memory, const Tensor& d_y, const Tensor& bias) {
    Tensor sum = is_bf16(d_y) ? d_y.sum(0, /*keepdim=*/false, bias.scalar_type()) : d_y.sum(0);
    if (!memory.defined()) return sum;
    Tensor(memory).add_(sum);
    return {};
  }
};

/// Product with adjacent weights. Adds their gradients to `memory`.
class DeviceLinears : public torch::autograd::Function<DeviceLinears> {
 public:
  /// The weights are inputs only to tell LibTorch when their gradients are complete.
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& /*first*/,
                        const Tensor& /*second*/, const c10::optional<Tensor>& /*third*/,
                        const Tensor& weight, const Tensor& read, bool stays,
                        const Tensor& memory) {
    context->save_for_backward({read, weight});
    context->saved_data["memory"] = memory;
    context->saved_data["reads_bf16"] = is_bf16(x);
    return DeviceLinear::compute(read, weight, {}, stays);
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const Tensor operand = rounded_like(arriving[0], saved[0]);
    variable_list gradients(8);
    if (context->needs_input_grad(0))
      gradients[0] = product(operand, saved[1], context->saved_data["reads_bf16"].toBool());
    added(context->saved_data["memory"].toTensor(), operand.t(), saved[0]);
    return gradients;
  }
};

/// Converts x to the type of the products.
Tensor operand_of(const Tensor& x, bool bf16) {
  return bf16 ? x.detach().to(torch::kBFloat16) : x.detach();
}

std::vector<int64_t> sizes_with(const Tensor& x, int64_t features) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = features;
  return sizes;
}

}  // namespace

Tensor bf16_product(const Tensor& a, const Tensor& b) {
  // bf16 products on the CPU also round their results to bf16; float operands of equal value do
  // not.
  if (a.is_cpu()) return at::mm(a.to(torch::kFloat32), b.to(torch::kFloat32));
#if ATTEND_HAS_PRODUCT_TYPE
  return at::mm(a, b, torch::kFloat32);
#else
  return at::mm(a, b).to(torch::kFloat32);
#endif
}

Tensor rounded(const Tensor& weight) {
  const RoundedWeights* const known = execution().rounded;
  return known != nullptr ? known->of(weight) : weight.detach().to(torch::kBFloat16);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, ResultType result) {
  const Tensor flat = x.reshape({-1, x.size(-1)});
  const bool bf16 = is_bf16(x) || uses_bf16(x), stays = bf16 && result == ResultType::bf16;
  const Tensor read = operand_of(flat, bf16);
  const Tensor used = bf16 ? rounded(weight) : weight.detach();
  const Tensor y = torch::GradMode::is_enabled()
                       ? DeviceLinear::apply(flat, weight, given(bias), used, read, stays,
                                             GradientsInPlace::of({weight, bias}))
                       : DeviceLinear::compute(read, used, bias, stays);
  return y.view(sizes_with(x, weight.size(0)));
}

std::array<Tensor, 3> linears(const Tensor& x, const std::array<Tensor, 3>& weights,
                              ResultType result) {
  variable_list given_weights, memories;
  std::vector<int64_t> rows;
  for (const Tensor& weight : weights) {
    if (!weight.defined()) continue;
    given_weights.push_back(weight);
    memories.push_back(gradient_in_place(weight));
    rows.push_back(weight.size(0));
  }
  const bool records = torch::GradMode::is_enabled();
  const Tensor weight = joined(given_weights);
  const Tensor memory = records && memories.front().defined() ? joined(memories) : Tensor();
  std::array<Tensor, 3> results;
  if (given_weights.size() < 2 || !weight.defined() || (records && !memory.defined())) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i].defined()) results[i] = device::linear(x, weights[i], Tensor(), result);
    return results;
  }
  const Tensor flat = x.reshape({-1, x.size(-1)});
  const bool bf16 = is_bf16(x) || uses_bf16(x), stays = bf16 && result == ResultType::bf16;
  const Tensor read = operand_of(flat, bf16), used = bf16 ? rounded(weight) : weight;
  const Tensor y = records ? DeviceLinears::apply(flat, given_weights[0], given_weights[1],
                                                  given(weights[2]), used, read, stays, memory)
                           : DeviceLinear::compute(read, used, {}, stays);
  const variable_list parts = y.view(sizes_with(x, y.size(1))).split_with_sizes(rows, -1);
  for (std::size_t i = 0, part = 0; i < weights.size(); ++i)
    if (weights[i].defined()) results[i] = parts[part++];
  return results;
}

}  // namespace attend::nn::device
