#include "nn/fused/output_loss.h"

#include <torch/autograd.h>

#include <algorithm>

#include "kernels/cross_entropy.h"
#include "nn/execution.h"
#include "nn/fused/rounded.h"

namespace attend::nn::fused {
namespace {

using kernels::Bf16Product;
using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows whose logits are in memory at once: enough for the matrix products to run at full speed.
constexpr int64_t kRows = 512;

/// The three products of the layer, in the type of the data or with rounded operands.
class Products {
 public:
  Products(const Tensor& states, const Tensor& weight)
      : bf16_(uses_bf16(states)),
        states_(bf16_ ? rounded(states) : states),
        weight_(bf16_ ? rounded(weight) : weight) {}

  /// Rows [begin, begin + logits.size(0)) of states times the weight, added to `logits`.
  void add_logits(int64_t begin, Tensor logits) const {
    const int64_t rows = logits.size(0), classes = logits.size(1), size = states_.size(1);
    const Tensor states = states_.narrow(0, begin, rows);
    if (!bf16_) {
      logits.addmm_(states, weight_.t());
      return;
    }
    Bf16Product({rows, classes, size, false, true}, classes, Into::add)(
        data_of(states), data_of(weight_), logits.data_ptr<float>());
  }

  /// What the gradient of those logits does to the states (overwritten) and the weight (added to).
  void add_gradients(int64_t begin, const Tensor& gradient, Tensor d_states,
                     Tensor d_weight) const {
    const int64_t rows = gradient.size(0), classes = gradient.size(1), size = states_.size(1);
    const Tensor states = states_.narrow(0, begin, rows);
    Tensor d_rows = d_states.narrow(0, begin, rows);
    if (!bf16_) {
      at::mm_out(d_rows, gradient, weight_);
      d_weight.addmm_(gradient.t(), states);
      return;
    }
    const Tensor narrow = rounded(gradient);
    Bf16Product({rows, size, classes, false, false}, size, Into::overwrite)(
        data_of(narrow), data_of(weight_), d_rows.data_ptr<float>());
    Bf16Product({classes, size, rows, true, false}, size, Into::add)(
        data_of(narrow), data_of(states), d_weight.data_ptr<float>());
  }

 private:
  bool bf16_;
  Tensor states_;
  Tensor weight_;
};

template <class T>
void turn_into_gradient(Tensor logits, const Tensor& targets, double smoothing, Tensor sums) {
  kernels::cross_entropy(kernels::CrossEntropyRows<T>{
      logits.size(0), logits.size(1), logits.data_ptr<T>(), targets.data_ptr<int64_t>(), smoothing,
      sums[0].data_ptr<double>(), sums[1].data_ptr<double>()});
}

class OutputLoss : public torch::autograd::Function<OutputLoss> {
 public:
  /// Returns {objective, nll}.
  static variable_list forward(AutogradContext* context, const Tensor& states, const Tensor& weight,
                               const Tensor& bias, const Tensor& targets, double smoothing,
                               bool differentiable) {
    const Products products(states, weight);
    Tensor d_states, d_weight, d_bias;
    if (differentiable) {
      d_states = torch::empty_like(states);
      d_weight = torch::zeros_like(weight);
      d_bias = torch::zeros_like(bias);
    }
    Tensor totals = torch::zeros({2}, torch::kFloat64);  // nll, objective
    for (int64_t begin = 0; begin < states.size(0); begin += kRows) {
      const int64_t rows = std::min(kRows, states.size(0) - begin);
      const Tensor gradient = bias.expand({rows, bias.size(0)}).clone();
      products.add_logits(begin, gradient);
      const Tensor sums = torch::empty({2, rows}, torch::kFloat64);
      const Tensor wanted = targets.narrow(0, begin, rows);
      states.scalar_type() == torch::kFloat64
          ? turn_into_gradient<double>(gradient, wanted, smoothing, sums)
          : turn_into_gradient<float>(gradient, wanted, smoothing, sums);
      totals += sums.sum(1);
      if (!differentiable) continue;
      products.add_gradients(begin, gradient, d_states, d_weight);
      d_bias += gradient.sum(0);
    }
    if (differentiable) context->save_for_backward({d_states, d_weight, d_bias});
    const Tensor nll = totals[0].clone();
    context->mark_non_differentiable({nll});
    return {totals[1].to(states.scalar_type()), nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    return {saved[0] * arriving[0],
            saved[1] * arriving[0],
            saved[2] * arriving[0],
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

CrossEntropy output_loss(const Tensor& states, const Tensor& weight, const Tensor& bias,
                         const Tensor& targets, double smoothing) {
  const bool differentiable =
      torch::GradMode::is_enabled() &&
      (states.requires_grad() || weight.requires_grad() || bias.requires_grad());
  const variable_list sums = OutputLoss::apply(states.contiguous(), weight.contiguous(), bias,
                                               targets.contiguous(), smoothing, differentiable);
  return {sums[0], sums[1]};
}

}  // namespace attend::nn::fused
