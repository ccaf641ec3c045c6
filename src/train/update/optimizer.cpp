#include "train/update/optimizer.h"

#include <torch/utils.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/layer/optimizer.h"
#include "nn/execution.h"
#include "nn/for_type_of.h"
#include "train/update/slices.h"

#define ATTEND_HAS_FUSED_ADAM \
  (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4))

namespace attend::train {
namespace {

using torch::Tensor;

/// Allocates a buffer of statistics for all parameters.
using Buffers = std::function<Tensor()>;

Tensor part_of(const Tensor& statistics, const OptimizerStep& step) {
  return statistics.narrow(0, step.begin, step.values.numel());
}

class Adam final : public Optimizer {
 public:
  Adam(const AdamOptions& options, double weight_decay, bool decoupled, const Buffers& zeros)
      : options_(options),
        shrinking_(decoupled ? weight_decay : 0.0),
        decay_(decoupled ? 0.0 : weight_decay),
        mean_(zeros()),
        square_(zeros()) {}

  void apply(const OptimizerStep& step) override {
    if (nn::is_fusible(step.values)) {
      nn::for_type_of(step.values, [&](auto zero) { apply_fused<decltype(zero)>(step); });
      return;
    }
#if ATTEND_HAS_FUSED_ADAM
    if (nn::has_device_forms(step.values)) return apply_on_device(step);
#endif
    const Slices slices(step.values);
    const Moments moments{part_of(mean_, step), part_of(square_, step)};
    for_each_slice(slices, [&](int64_t slice) {
      apply_slice(step, slices.of(step.values, slice), slices.of(step.gradients, slice),
                  {slices.of(moments.mean, slice), slices.of(moments.square, slice)});
    });
  }

  [[nodiscard]] bool decides_on_device() const override {
    return ATTEND_HAS_FUSED_ADAM;
  }

  [[nodiscard]] std::map<std::string, Tensor> state() const override {
    return {{"adam.mean", mean_}, {"adam.square", square_}};
  }

 private:
  struct Moments {
    Tensor mean;
    Tensor square;
  };

  /// The step of Adam (Alg. 1, last line), m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon),
  /// with numerator and denominator multiplied by sqrt(1 - beta2^t), which saves a division.
  struct Corrected {
    double step_size;
    double epsilon;
  };
  [[nodiscard]] Corrected corrected(const OptimizerStep& step) const {
    const auto updates = static_cast<double>(step.update);
    const double mean_correction = 1.0 - std::pow(options_.beta1, updates);
    const double root_correction = std::sqrt(1.0 - std::pow(options_.beta2, updates));
    return {step.learning_rate * root_correction / mean_correction,
            options_.epsilon * root_correction};
  }
  [[nodiscard]] double shrink(const OptimizerStep& step) const {
    return 1.0 - step.learning_rate * shrinking_;
  }

  template <class T>
  void apply_fused(const OptimizerStep& step) const {
    const Corrected by = corrected(step);
    kernels::adam_step(kernels::AdamStep<T>{.count = step.values.numel(),
                                            .values = step.values.data_ptr<T>(),
                                            .gradients = step.gradients.data_ptr<T>(),
                                            .mean = mean_.data_ptr<T>() + step.begin,
                                            .square = square_.data_ptr<T>() + step.begin,
                                            .scale = step.gradient_scale,
                                            .shrink = shrink(step),
                                            .decay = decay_,
                                            .beta1 = options_.beta1,
                                            .beta2 = options_.beta2,
                                            .step_size = by.step_size,
                                            .epsilon = by.epsilon});
  }

#if ATTEND_HAS_FUSED_ADAM
  /// Uses LibTorch's kernel, which reads the memory once; a second pass zeroes the gradients.
  void apply_on_device(const OptimizerStep& step) const {
    const torch::NoGradGuard no_grad;
    Tensor gradients = step.gradients;
    if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
    if (step.device_scale.defined()) gradients.mul_(step.device_scale.to(gradients.scalar_type()));
    const auto single = gradients.options().dtype(torch::kFloat32);
    const Tensor update = torch::full({}, static_cast<double>(step.update), single);
    const auto skipped =
        step.skipped.defined() ? c10::make_optional(step.skipped) : c10::optional<Tensor>();
    const auto run = [&](auto kernel, double decay) {
      kernel(step.values, gradients, part_of(mean_, step), part_of(square_, step), at::TensorList(),
             update, step.learning_rate, options_.beta1, options_.beta2, decay, options_.epsilon,
             /*amsgrad=*/false, /*maximize=*/false, c10::optional<Tensor>(), skipped);
    };
    if (shrinking_ > 0.0) {
      run([](auto&&... inputs) { at::_fused_adamw_(inputs...); }, shrinking_);
    } else {
      run([](auto&&... inputs) { at::_fused_adam_(inputs...); }, decay_);
    }
    gradients.zero_();
  }
#endif

  void apply_slice(const OptimizerStep& step, Tensor values, Tensor gradients,
                   Moments moments) const {
    if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
    if (decay_ > 0.0) gradients.add_(values, decay_);
    if (shrinking_ > 0.0) values.mul_(shrink(step));
    moments.mean.lerp_(gradients, 1.0 - options_.beta1);
    moments.square.mul_(options_.beta2).addcmul_(gradients, gradients, 1.0 - options_.beta2);
    const Corrected by = corrected(step);
    const Tensor& root = torch::sqrt_out(gradients, moments.square);
    values.addcdiv_(moments.mean, root.add_(by.epsilon), -by.step_size);
    gradients.zero_();
  }

  AdamOptions options_;
  double shrinking_;  // decoupled weight decay (adamw)
  double decay_;      // weight decay added to the gradient (adam)
  Tensor mean_;       // [P] moving average of the gradients
  Tensor square_;     // [P] moving average of the squared gradients
};

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, double weight_decay, const Buffers& zeros)
      : momentum_(momentum), weight_decay_(weight_decay) {
    if (momentum > 0.0) velocity_ = zeros();
  }

  void apply(const OptimizerStep& step) override {
    if (nn::is_fusible(step.values)) {
      nn::for_type_of(step.values, [&](auto zero) { apply_fused<decltype(zero)>(step); });
      return;
    }
    const Slices slices(step.values);
    const Tensor velocity = velocity_.defined() ? part_of(velocity_, step) : Tensor();
    for_each_slice(slices, [&](int64_t slice) {
      Tensor values = slices.of(step.values, slice);
      Tensor gradients = slices.of(step.gradients, slice);
      if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
      if (weight_decay_ > 0.0) gradients.add_(values, weight_decay_);
      if (velocity.defined()) {
        gradients.copy_(slices.of(velocity, slice).mul_(momentum_).add_(gradients));
      }
      values.sub_(gradients, step.learning_rate);
      gradients.zero_();
    });
  }

  [[nodiscard]] std::map<std::string, Tensor> state() const override {
    if (!velocity_.defined()) return {};
    return {{"sgd.velocity", velocity_}};
  }

 private:
  template <class T>
  void apply_fused(const OptimizerStep& step) const {
    kernels::momentum_step(kernels::MomentumStep<T>{
        .count = step.values.numel(),
        .values = step.values.data_ptr<T>(),
        .gradients = step.gradients.data_ptr<T>(),
        .velocity = velocity_.defined() ? velocity_.data_ptr<T>() + step.begin : nullptr,
        .scale = step.gradient_scale,
        .decay = weight_decay_,
        .momentum = momentum_,
        .rate = step.learning_rate});
  }

  double momentum_;
  double weight_decay_;
  Tensor velocity_;  // [P]; undefined without momentum
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const TrainingOptions& options, const Tensor& values,
                                          const MakeZeros& zeros) {
  const Buffers buffer = [&] {
    return zeros ? zeros(values.numel(), values.options()) : torch::zeros_like(values);
  };
  if (options.optimizer == OptimizerKind::sgd) {
    return std::make_unique<Sgd>(options.momentum, options.weight_decay, buffer);
  }
  const bool decoupled = options.optimizer == OptimizerKind::adamw;
  return std::make_unique<Adam>(options.adam, options.weight_decay, decoupled, buffer);
}

double sum_of_squares(const Tensor& buffer) {
  const Slices slices(buffer);
  std::vector<double> sums(static_cast<std::size_t>(slices.count()));
  for_each_slice(slices, [&](int64_t slice) {
    const Tensor elements = slices.of(buffer, slice);
    sums[static_cast<std::size_t>(slice)] = torch::dot(elements, elements).item<double>();
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double clip_scale(double norm, double longest) {
  return longest > 0.0 && norm > longest ? longest / norm : 1.0;
}

}  // namespace attend::train
