#include "nn/fused/output_loss.h"

#include <torch/autograd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/output/cross_entropy.h"
#include "kernels/output/twin_cross_entropy.h"
#include "kernels/product/gemm.h"
#include "nn/execution.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {
namespace {

using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Maximum rows per block, enough for matrix products at full speed. Larger blocks mean fewer
/// passes over the gradient of the weight, which is larger than a block.
constexpr int64_t kRows = 640;

/// The inputs of the layer and memory for its gradients.
struct Layer {
  Tensor states;   // [N, H]
  Tensor weight;   // [V, H]
  Tensor bias;     // [V]
  Tensor targets;  // [N]
  LossOptions options;
  // Undefined if no gradients are needed.
  Tensor d_states;  // overwritten
  Tensor d_weight;  // added to
  Tensor d_bias;    // added to
};

/// The three products of the layer.
template <class T>
class Products {
 public:
  Products(const Layer& layer, kernels::Precision precision)
      : layer_(layer),
        precision_(precision),
        weight_(matrix_of<const T>(layer.weight)),
        to_logits_(weight_, /*transposed=*/true, precision) {
    if (layer.d_states.defined()) to_states_.emplace(weight_, /*transposed=*/false, precision);
  }

  /// Computes the logits of the states from `begin` on into `result` [rows, V].
  void logits(int64_t begin, const Tensor& result) const {
    to_logits_.multiply(matrix_of<const T>(layer_.states.narrow(0, begin, result.size(0))),
                        matrix_of<T>(result), Into::overwrite);
  }

  /// Allocates the logits of `rows` rows.
  [[nodiscard]] Tensor block(int64_t rows) const {
    return torch::empty({rows, weight_.rows}, layer_.states.options());
  }

  /// Adds to the gradients of states, weight and bias, given the gradient of the logits of the rows
  /// from `begin` on.
  void add_gradients(int64_t begin, const Tensor& gradient) const {
    const int64_t rows = gradient.size(0);
    const auto d_logits = matrix_of<const T>(gradient);
    to_states_->multiply(d_logits, matrix_of<T>(layer_.d_states.narrow(0, begin, rows)),
                         Into::overwrite);
    kernels::product_tn(d_logits, matrix_of<const T>(layer_.states.narrow(0, begin, rows)),
                        matrix_of<T>(layer_.d_weight), Into::add, precision_);
    Tensor d_bias = layer_.d_bias;
    d_bias += gradient.sum(0);
  }

 private:
  const Layer& layer_;
  kernels::Precision precision_;
  kernels::Matrix<const T> weight_;
  kernels::Operand<T> to_logits_;
  std::optional<kernels::Operand<T>> to_states_;
};

/// Replaces the logits of rows from `begin` on by their gradient. Adds to {nll, objective}.
template <class T>
void turn_into_gradient(const Layer& layer, int64_t begin, const Tensor& logits, Tensor totals) {
  const int64_t rows = logits.size(0);
  const Tensor sums = torch::empty({2, rows}, torch::kFloat64);
  kernels::cross_entropy(
      kernels::CrossEntropyRows<T>{.rows = rows,
                                   .classes = logits.size(1),
                                   .logits = logits.data_ptr<T>(),
                                   .bias = layer.bias.data_ptr<T>(),
                                   .targets = layer.targets.data_ptr<int64_t>() + begin,
                                   .smoothing = layer.options.smoothing,
                                   .nll = sums[0].data_ptr<double>(),
                                   .objective = sums[1].data_ptr<double>()});
  if (layer.options.weights.defined()) {
    const Tensor weights = layer.options.weights.narrow(0, begin, rows);
    sums[1].mul_(weights);
    logits.mul_(weights.unsqueeze(1));
  }
  totals += sums.sum(1);
}

/// turn_into_gradient() for both passes, [2, rows, V]. Adds to {nll, objective, divergence}.
template <class T>
void turn_twins_into_gradient(const Layer& layer, int64_t begin, const Tensor& logits,
                              const Tensor& scratch, Tensor totals) {
  const int64_t rows = logits.size(1);
  const Tensor sums = torch::empty({3, rows}, torch::kFloat64);
  kernels::twin_cross_entropy(
      kernels::TwinCrossEntropyRows<T>{.rows = rows,
                                       .classes = logits.size(2),
                                       .first = logits[0].data_ptr<T>(),
                                       .second = logits[1].data_ptr<T>(),
                                       .scratch = scratch.data_ptr<T>(),
                                       .bias = layer.bias.data_ptr<T>(),
                                       .targets = layer.targets.data_ptr<int64_t>() + begin,
                                       .smoothing = layer.options.smoothing,
                                       .weight = 0.5 * layer.options.r_drop,
                                       .nll = sums[0].data_ptr<double>(),
                                       .objective = sums[1].data_ptr<double>(),
                                       .divergence = sums[2].data_ptr<double>()});
  totals += sums.sum(1);
}

/// Calls use(begin, rows) for blocks of about equal size, with at most `most` rows each.
template <class Use>
void for_each_block(int64_t all, int64_t most, const Use& use) {
  const int64_t blocks = std::max<int64_t>(1, (all + most - 1) / most);
  const int64_t size = (all + blocks - 1) / blocks;
  for (int64_t begin = 0; begin < all; begin += size) use(begin, std::min(size, all - begin));
}

template <class T>
void run_once(const Layer& layer, const Products<T>& products, const Tensor& totals) {
  for_each_block(layer.states.size(0), kRows, [&](int64_t begin, int64_t rows) {
    const Tensor logits = products.block(rows);
    products.logits(begin, logits);
    turn_into_gradient<T>(layer, begin, logits, totals);
    if (layer.d_states.defined()) products.add_gradients(begin, logits);
  });
}

/// Computes the loss of both passes of R-Drop: a block has predictions n and N + n.
template <class T>
void run_twins(const Layer& layer, const Products<T>& products, const Tensor& totals) {
  const int64_t all = layer.states.size(0) / 2;
  for_each_block(all, kRows / 2, [&](int64_t begin, int64_t rows) {
    const Tensor logits = products.block(2 * rows).view({2, rows, -1});
    for (int64_t pass : {0, 1}) products.logits(begin + pass * all, logits[pass]);
    turn_twins_into_gradient<T>(layer, begin, logits, products.block(rows), totals);
    if (!layer.d_states.defined()) return;
    for (int64_t pass : {0, 1}) products.add_gradients(begin + pass * all, logits[pass]);
  });
}

/// Returns {nll, objective}, and with R-Drop {nll, objective, divergence}.
template <class T>
Tensor run_with(const Layer& layer, kernels::Precision precision) {
  const bool twins = layer.options.r_drop > 0.0;
  const Tensor totals = torch::zeros({twins ? 3 : 2}, torch::kFloat64);
  if (layer.states.size(0) == 0) return totals;
  const Products<T> products(layer, precision);
  twins ? run_twins(layer, products, totals) : run_once(layer, products, totals);
  return totals;
}

Tensor run(const Layer& layer) {
  using kernels::Precision;
  if (layer.states.scalar_type() == torch::kFloat64)
    return run_with<double>(layer, Precision::full);
  return run_with<float>(layer, uses_bf16(layer.states) ? Precision::bf16 : Precision::full);
}

/// Gradients that the forward pass computes with the loss, so that the logits need not be saved.
/// The backward pass returns them once.
struct Gradients : torch::CustomClassHolder {
  Gradients(const Tensor& the_weight, const Tensor& the_bias)
      : weight(gradient_in_place(the_weight)),
        bias(gradient_in_place(the_bias)),
        weight_in_place(weight.defined()),
        bias_in_place(bias.defined()) {}

  Tensor states;
  Tensor weight;
  Tensor bias;
  bool weight_in_place;
  bool bias_in_place;
  bool spent = false;
};

class OutputLoss : public torch::autograd::Function<OutputLoss> {
 public:
  /// Returns {objective, nll}, and with R-Drop {objective, nll, divergence}.
  static variable_list forward(AutogradContext* context, const Tensor& states, const Tensor& weight,
                               const Tensor& bias, const Tensor& targets,
                               const LossOptions& options, bool differentiable,
                               const c10::intrusive_ptr<Gradients>& gradients) {
    if (differentiable) {
      gradients->states = torch::empty_like(states);
      if (!gradients->weight_in_place) gradients->weight = torch::zeros_like(weight);
      if (!gradients->bias_in_place) gradients->bias = torch::zeros_like(bias);
    }
    const Tensor totals = run({states, weight, bias, targets, options, gradients->states,
                               gradients->weight, gradients->bias});
    context->saved_data["gradients"] = c10::IValue::make_capsule(gradients);
    variable_list results{totals[1].to(states.scalar_type()), totals[0].clone()};
    if (totals.size(0) > 2) results.push_back(totals[2].clone());
    context->mark_non_differentiable({results.begin() + 1, results.end()});
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto gradients =
        c10::static_intrusive_pointer_cast<Gradients>(context->saved_data["gradients"].toCapsule());
    if (std::exchange(gradients->spent, true)) {
      throw std::logic_error(
          "a fused output layer supports one backward pass; for more, compute with "
          "Execution{.fused = false}");
    }
    const auto factor = arriving[0].item<double>();
    if (factor != 1.0 && (gradients->weight_in_place || gradients->bias_in_place)) {
      throw std::logic_error(
          "Execution::gradients: differentiate the objective itself and scale the gradients "
          "afterwards");
    }
    const auto scaled = [factor](Tensor& gradient, bool in_place) {
      const Tensor result = std::move(gradient);
      if (in_place) return Tensor();
      return factor == 1.0 ? result : result.mul_(factor);
    };
    variable_list result{scaled(gradients->states, false),
                         scaled(gradients->weight, gradients->weight_in_place),
                         scaled(gradients->bias, gradients->bias_in_place)};
    result.resize(7);
    return result;
  }
};

}  // namespace

CrossEntropy output_loss(const Tensor& states, const Tensor& weight, const Tensor& bias,
                         const Tensor& targets, const LossOptions& options) {
  const bool differentiable =
      torch::GradMode::is_enabled() &&
      (states.requires_grad() || weight.requires_grad() || bias.requires_grad());
  const Tensor dense = weight.contiguous();
  const variable_list sums =
      OutputLoss::apply(states.contiguous(), dense, bias.contiguous(), targets.contiguous(),
                        options, differentiable, c10::make_intrusive<Gradients>(dense, bias));
  return {sums[0], sums[1], sums.size() > 2 ? sums[2] : Tensor()};
}

}  // namespace attend::nn::fused
