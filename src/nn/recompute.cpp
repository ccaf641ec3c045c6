#include "nn/recompute.h"

#include <torch/autograd.h>

#include <algorithm>
#include <utility>

#include "nn/drawing.h"
#include "nn/execution.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::vector<bool> defined_flags(const std::vector<Tensor>& tensors) {
  std::vector<bool> defined;
  for (const Tensor& tensor : tensors) defined.push_back(tensor.defined());
  return defined;
}

std::vector<Tensor> without_undefined(std::vector<Tensor> tensors) {
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(),
                               [](const Tensor& tensor) { return !tensor.defined(); }),
                tensors.end());
  return tensors;
}

/// Inserts undefined tensors where `defined` is false.
std::vector<Tensor> with_undefined(const std::vector<Tensor>& tensors,
                                   const std::vector<bool>& defined) {
  std::vector<Tensor> all;
  std::size_t used = 0;
  for (const bool is_defined : defined) all.push_back(is_defined ? tensors[used++] : Tensor());
  return all;
}

/// Detached copies that require a gradient where the originals do.
std::vector<Tensor> as_leaves(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> leaves;
  for (const Tensor& tensor : tensors)
    leaves.push_back(tensor.detach().set_requires_grad(tensor.requires_grad()));
  return leaves;
}

/// A function with its context, carried from the forward to the backward pass.
class Call : public torch::CustomClassHolder {
 public:
  Call(TensorFunction function, std::vector<bool> inputs, const torch::Device& device)
      : function_(std::move(function)),
        inputs_(std::move(inputs)),
        execution_(execution()),
        draws_(DrawPoint::here(device)) {}

  /// Takes and returns only defined tensors. Records operations for a gradient.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) {
    const torch::AutoGradMode recorded(true);
    std::vector<Tensor> outputs = function_(with_undefined(inputs, inputs_));
    outputs_ = defined_flags(outputs);
    return without_undefined(std::move(outputs));
  }
  std::vector<Tensor> recompute(const std::vector<Tensor>& inputs) {
    const ExecutionScope scope(execution_);
    const DrawAgainScope draws(draws_);
    return run(inputs);
  }
  [[nodiscard]] const std::vector<bool>& outputs() const { return outputs_; }

 private:
  TensorFunction function_;
  std::vector<bool> inputs_, outputs_;  // true for defined tensors
  Execution execution_;
  DrawPoint draws_;
};

using CallPointer = c10::intrusive_ptr<Call>;

/// Gradients with respect to `wanted`, from the gradients `arriving` of `roots`. The gradient of a
/// tensor that does not require one is undefined.
variable_list gradients_of(const variable_list& roots, const variable_list& arriving,
                           const variable_list& wanted) {
  variable_list ends, starts, ends_arriving;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (!roots[i].requires_grad() || !arriving[i].defined()) continue;
    ends.push_back(roots[i]);
    ends_arriving.push_back(arriving[i]);
  }
  for (const Tensor& tensor : wanted)
    if (tensor.requires_grad()) starts.push_back(tensor);
  variable_list found = torch::autograd::grad(ends, starts, ends_arriving, c10::nullopt,
                                              /*create_graph=*/false, /*allow_unused=*/true);
  variable_list gradients;
  auto next = found.begin();
  for (const Tensor& tensor : wanted)
    gradients.push_back(tensor.requires_grad() ? std::move(*next++) : Tensor());
  return gradients;
}

class RecomputedFunction : public torch::autograd::Function<RecomputedFunction> {
 public:
  /// `tensors`: the first `inputs` are inputs, the rest parameters.
  static variable_list forward(AutogradContext* context, at::TensorList tensors, int64_t inputs,
                               const CallPointer& call) {
    const std::vector<Tensor> given = tensors.slice(0, static_cast<std::size_t>(inputs)).vec();
    // Records a graph and drops it, so that `call` takes the same code path as when it is
    // recomputed.
    variable_list outputs = call->run(as_leaves(given));
    for (Tensor& output : outputs) output = output.detach();
    context->save_for_backward(tensors.vec());
    context->saved_data["inputs"] = inputs;
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto call =
        c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const auto inputs = static_cast<std::ptrdiff_t>(context->saved_data["inputs"].toInt());
    const variable_list tensors = context->get_saved_variables();
    variable_list wanted = as_leaves({tensors.begin(), tensors.begin() + inputs});
    const variable_list outputs = call->recompute(wanted);
    wanted.insert(wanted.end(), tensors.begin() + inputs, tensors.end());
    variable_list gradients = gradients_of(outputs, arriving, wanted);
    gradients.resize(gradients.size() + 2);  // for `inputs` and `call`
    return gradients;
  }
};

}  // namespace

std::vector<Tensor> recomputed(TensorFunction function, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& parameters) {
  std::vector<Tensor> tensors = without_undefined(inputs);
  const auto count = static_cast<int64_t>(tensors.size());
  tensors.insert(tensors.end(), parameters.begin(), parameters.end());
  const bool is_recorded = torch::GradMode::is_enabled() &&
                           std::any_of(tensors.begin(), tensors.end(),
                                       [](const Tensor& tensor) { return tensor.requires_grad(); });
  if (!is_recorded) return function(inputs);
  const auto call = c10::make_intrusive<Call>(std::move(function), defined_flags(inputs),
                                              tensors.front().device());
  const variable_list outputs = RecomputedFunction::apply(at::TensorList(tensors), count, call);
  return with_undefined(outputs, call->outputs());
}

}  // namespace attend::nn
