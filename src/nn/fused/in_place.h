#pragma once
#include <ATen/core/ivalue.h>
#include <torch/autograd.h>

#include <utility>
#include <vector>

#include "nn/execution.h"

namespace attend::nn::fused {

/// Converts a possibly undefined tensor to an optional argument of an autograd function.
[[nodiscard]] inline c10::optional<torch::Tensor> given(const torch::Tensor& x) {
  return x.defined() ? c10::make_optional(x) : c10::nullopt;
}
[[nodiscard]] inline torch::Tensor or_undefined(const c10::optional<torch::Tensor>& x) {
  return x ? *x : torch::Tensor();
}

/// gradient_in_place() of some parameters, found in the forward pass and carried to the backward
/// pass.
class GradientsInPlace : public torch::CustomClassHolder {
 public:
  explicit GradientsInPlace(const std::vector<torch::Tensor>& parameters) {
    for (const torch::Tensor& parameter : parameters) {
      gradients_.push_back(parameter.defined() ? gradient_in_place(parameter) : torch::Tensor());
    }
  }

  using Pointer = c10::intrusive_ptr<GradientsInPlace>;

  static Pointer of(const std::vector<torch::Tensor>& parameters) {
    return c10::make_intrusive<GradientsInPlace>(parameters);
  }
  static void save(torch::autograd::AutogradContext* context, const Pointer& in_place) {
    context->saved_data["in_place"] = c10::IValue::make_capsule(in_place);
  }
  static Pointer saved(torch::autograd::AutogradContext* context) {
    return c10::static_intrusive_pointer_cast<GradientsInPlace>(
        context->saved_data["in_place"].toCapsule());
  }

  /// The memory of parameter i; undefined if its gradient is not in place.
  [[nodiscard]] const torch::Tensor& memory_or_none(std::size_t i) const { return gradients_[i]; }

  /// The memory to which the gradient of parameter i is added. If gradient_in_place() gave none,
  /// returns a new tensor of zeros with the sizes of `like` and also stores it in `result`, which
  /// the caller returns to LibTorch.
  [[nodiscard]] torch::Tensor memory(std::size_t i, const torch::Tensor& like,
                                     torch::Tensor& result) const {
    if (gradients_[i].defined()) return gradients_[i];
    result = torch::zeros(like.sizes(), like.options());
    return result;
  }

 private:
  std::vector<torch::Tensor> gradients_;
};

}  // namespace attend::nn::fused
