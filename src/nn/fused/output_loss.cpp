#include "nn/fused/output_loss.h"

#include <torch/autograd.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/cross_entropy.h"
#include "kernels/gemm.h"
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
/// Rows whose gradients are, rounded: the more, the fewer times the weight's gradient, which is
/// larger than all of them, is gone through.
constexpr int64_t kRoundedRows = 4 * kRows;

/// What is known of the layer and what becomes of its gradients.
struct Layer {
  Tensor states;   // [N, H]
  Tensor weight;   // [V, H]
  Tensor bias;     // [V]
  Tensor targets;  // [N]
  double smoothing = 0.0;
  // Undefined where no gradients are wanted.
  Tensor d_states;  // overwritten
  Tensor d_weight;  // added to
  Tensor d_bias;    // added to
};

/// Rows [begin, begin + rows) of x [N, D].
template <class T>
kernels::Matrix<T> rows_of(const Tensor& x, int64_t begin, int64_t rows) {
  const int64_t size = x.size(1), stride = x.stride(0);
  return {x.data_ptr<std::remove_const_t<T>>() + begin * stride, rows, size, stride};
}

/// The three products of the layer, in the type of the data.
template <class T>
class Products {
 public:
  explicit Products(const Layer& layer)
      : layer_(layer), weight_(rows_of<const T>(layer.weight, 0, layer.weight.size(0))) {}

  [[nodiscard]] Tensor logits(int64_t begin, int64_t rows) const {
    Tensor result = torch::empty({rows, weight_.rows}, layer_.states.options());
    kernels::product_nt(rows_of<const T>(layer_.states, begin, rows), weight_,
                        rows_of<T>(result, 0, rows), Into::overwrite);
    return result;
  }

  /// Hands the gradient of the logits of these rows on to the states and the weight.
  void add_gradients(int64_t begin, const Tensor& gradient) const {
    const int64_t rows = gradient.size(0);
    const auto d_logits = rows_of<const T>(gradient, 0, rows);
    kernels::product_nn(d_logits, weight_, rows_of<T>(layer_.d_states, begin, rows),
                        Into::overwrite);
    kernels::product_tn(d_logits, rows_of<const T>(layer_.states, begin, rows),
                        rows_of<T>(layer_.d_weight, 0, weight_.rows), Into::add);
  }

 private:
  const Layer& layer_;
  kernels::Matrix<const T> weight_;
};

/// The same with operands rounded to bf16.
class Bf16Products {
 public:
  explicit Bf16Products(const Layer& layer)
      : layer_(layer), states_(rounded(layer.states)), weight_(rounded(layer.weight)) {}

  [[nodiscard]] Tensor logits(int64_t begin, int64_t rows) const {
    const int64_t classes = weight_.size(0), size = weight_.size(1);
    Tensor result = torch::empty({rows, classes}, torch::kFloat32);
    Bf16Product({rows, classes, size, false, true}, classes, Into::overwrite)(
        data_of(states_.narrow(0, begin, rows)), data_of(weight_), result.data_ptr<float>());
    return result;
  }

  void add_gradients(int64_t begin, const Tensor& gradient) {
    const int64_t rows = gradient.size(0), classes = weight_.size(0), size = weight_.size(1);
    if (!gradients_.defined()) {
      gradients_ = torch::empty({std::min(kRoundedRows, states_.size(0)), classes}, torch::kInt16);
    }
    const Tensor narrow = gradients_.narrow(0, waiting_, rows);
    round_into(gradient, narrow);
    Bf16Product({rows, size, classes, false, false}, size, Into::overwrite)(
        data_of(narrow), data_of(weight_),
        layer_.d_states.narrow(0, begin, rows).data_ptr<float>());
    waiting_ += rows;
    const bool last = begin + rows == states_.size(0);
    if (last || waiting_ + kRows > kRoundedRows) add_weight_gradient(begin + rows);
  }

 private:
  /// Of the rows before `end` that wait for it.
  void add_weight_gradient(int64_t end) {
    const int64_t classes = weight_.size(0), size = weight_.size(1);
    Bf16Product({classes, size, waiting_, true, false}, layer_.d_weight.stride(0), Into::add)(
        data_of(gradients_), data_of(states_.narrow(0, end - waiting_, waiting_)),
        layer_.d_weight.data_ptr<float>());
    waiting_ = 0;
  }

  const Layer& layer_;
  Tensor states_;
  Tensor weight_;
  Tensor gradients_;     // [at most kRoundedRows, V] of logits
  int64_t waiting_ = 0;  // rows of them that are not in the weight's gradient yet
};

/// Logits of rows that begin with `begin` become their gradient. Adds up {nll, objective}.
template <class T>
void turn_into_gradient(const Layer& layer, int64_t begin, Tensor logits, Tensor totals) {
  const int64_t rows = logits.size(0);
  const Tensor sums = torch::empty({2, rows}, torch::kFloat64);
  kernels::cross_entropy(kernels::CrossEntropyRows<T>{
      rows, logits.size(1), logits.data_ptr<T>(), layer.bias.data_ptr<T>(),
      layer.targets.data_ptr<int64_t>() + begin, layer.smoothing, sums[0].data_ptr<double>(),
      sums[1].data_ptr<double>()});
  totals += sums.sum(1);
}

/// Returns {nll, objective}, [2].
template <class T, class Multiply>
Tensor run_with(const Layer& layer, Multiply multiply) {
  Tensor totals = torch::zeros({2}, torch::kFloat64);
  for (int64_t begin = 0; begin < layer.states.size(0); begin += kRows) {
    const int64_t rows = std::min(kRows, layer.states.size(0) - begin);
    const Tensor logits = multiply.logits(begin, rows);
    turn_into_gradient<T>(layer, begin, logits, totals);
    if (!layer.d_states.defined()) continue;
    multiply.add_gradients(begin, logits);
    Tensor d_bias = layer.d_bias;
    d_bias += logits.sum(0);
  }
  return totals;
}

Tensor run(const Layer& layer) {
  if (uses_bf16(layer.states)) return run_with<float>(layer, Bf16Products(layer));
  return layer.states.scalar_type() == torch::kFloat64
             ? run_with<double>(layer, Products<double>(layer))
             : run_with<float>(layer, Products<float>(layer));
}

/// What the backward pass hands on, once. It is computed with the loss, so that the logits need not
/// be kept.
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
  /// Returns {objective, nll}.
  static variable_list forward(AutogradContext* context, const Tensor& states, const Tensor& weight,
                               const Tensor& bias, const Tensor& targets, double smoothing,
                               bool differentiable,
                               const c10::intrusive_ptr<Gradients>& gradients) {
    if (differentiable) {
      gradients->states = torch::empty_like(states);
      if (!gradients->weight_in_place) gradients->weight = torch::zeros_like(weight);
      if (!gradients->bias_in_place) gradients->bias = torch::zeros_like(bias);
    }
    const Layer layer{
        states,         weight, bias, targets, smoothing, gradients->states, gradients->weight,
        gradients->bias};
    const Tensor totals = run(layer);
    context->saved_data["gradients"] = c10::IValue::make_capsule(gradients);
    const Tensor nll = totals[0].clone();
    context->mark_non_differentiable({nll});
    return {totals[1].to(states.scalar_type()), nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto gradients =
        c10::static_intrusive_pointer_cast<Gradients>(context->saved_data["gradients"].toCapsule());
    if (std::exchange(gradients->spent, true)) {
      throw std::logic_error(
          "a fused output layer has one backward pass; compute with Execution{.fused = false} to "
          "have more");
    }
    const double factor = arriving[0].item<double>();
    if (factor != 1.0 && (gradients->weight_in_place || gradients->bias_in_place)) {
      throw std::logic_error(
          "Execution::gradients: differentiate the objective itself, and scale the gradients "
          "after");
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
                         const Tensor& targets, double smoothing) {
  const bool differentiable =
      torch::GradMode::is_enabled() &&
      (states.requires_grad() || weight.requires_grad() || bias.requires_grad());
  const Tensor dense = weight.contiguous();
  const variable_list sums =
      OutputLoss::apply(states.contiguous(), dense, bias.contiguous(), targets.contiguous(),
                        smoothing, differentiable, c10::make_intrusive<Gradients>(dense, bias));
  return {sums[0], sums[1]};
}

}  // namespace attend::nn::fused
