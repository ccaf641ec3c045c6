#include "train/optimizer.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace attend::train {
namespace {

using torch::Tensor;

/// Elements per slice on the CPU: five buffers of it are 2.5 MiB, which stay in the caches of two
/// cores while all operations of a step run over them.
constexpr int64_t kSlice = int64_t{1} << 17;

int64_t slice_size(const Tensor& buffer) {
  return buffer.is_cpu() ? kSlice : std::max<int64_t>(buffer.numel(), 1);
}

/// Calls `work(begin, length)` for slices that cover `buffer`.
void for_each_slice(const Tensor& buffer, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t size = slice_size(buffer);
  for (int64_t begin = 0; begin < buffer.numel(); begin += size) {
    work(begin, std::min(size, buffer.numel() - begin));
  }
}

class Adam final : public Optimizer {
 public:
  Adam(const AdamOptions& options, double weight_decay, bool decoupled, const Tensor& values)
      : options_(options),
        weight_decay_(weight_decay),
        decoupled_(decoupled),
        mean_(torch::zeros_like(values)),
        square_(torch::zeros_like(values)),
        scratch_(torch::empty({std::min(slice_size(values), values.numel())}, values.options())) {}

  void apply(const OptimizerStep& step) override {
    const torch::NoGradGuard no_grad;
    for_each_slice(step.values, [&](int64_t begin, int64_t length) {
      apply_slice(step, step.values.narrow(0, begin, length),
                  step.gradients.narrow(0, begin, length), begin);
    });
  }

  [[nodiscard]] std::map<std::string, Tensor> state() const override {
    return {{"adam.mean", mean_}, {"adam.square", square_}};
  }

 private:
  void apply_slice(const OptimizerStep& step, Tensor values, Tensor gradients,
                   int64_t begin) const {
    const int64_t length = values.numel();
    Tensor mean = mean_.narrow(0, begin, length);
    Tensor square = square_.narrow(0, begin, length);
    Tensor root = scratch_.narrow(0, 0, length);
    if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
    if (weight_decay_ > 0.0 && decoupled_) values.mul_(1.0 - step.learning_rate * weight_decay_);
    if (weight_decay_ > 0.0 && !decoupled_) gradients.add_(values, weight_decay_);
    mean.lerp_(gradients, 1.0 - options_.beta1);
    square.mul_(options_.beta2).addcmul_(gradients, gradients, 1.0 - options_.beta2);
    // m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), with numerator and denominator
    // multiplied by sqrt(1 - beta2^t), which saves a pass.
    const auto updates = static_cast<double>(step.update);
    const double mean_correction = 1.0 - std::pow(options_.beta1, updates);
    const double root_correction = std::sqrt(1.0 - std::pow(options_.beta2, updates));
    torch::sqrt_out(root, square).add_(options_.epsilon * root_correction);
    values.addcdiv_(mean, root, -step.learning_rate * root_correction / mean_correction);
    gradients.zero_();
  }

  AdamOptions options_;
  double weight_decay_;
  bool decoupled_;
  Tensor mean_;     // [P] of the gradients
  Tensor square_;   // [P] of the squared gradients
  Tensor scratch_;  // [slice]
};

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, double weight_decay, const Tensor& values)
      : momentum_(momentum), weight_decay_(weight_decay) {
    if (momentum > 0.0) velocity_ = torch::zeros_like(values);
  }

  void apply(const OptimizerStep& step) override {
    const torch::NoGradGuard no_grad;
    for_each_slice(step.values, [&](int64_t begin, int64_t length) {
      Tensor values = step.values.narrow(0, begin, length);
      Tensor gradients = step.gradients.narrow(0, begin, length);
      if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
      if (weight_decay_ > 0.0) gradients.add_(values, weight_decay_);
      if (velocity_.defined()) {
        gradients.copy_(velocity_.narrow(0, begin, length).mul_(momentum_).add_(gradients));
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
  double momentum_;
  double weight_decay_;
  Tensor velocity_;  // [P]; undefined without momentum
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const TrainingOptions& options, const Tensor& values) {
  if (options.optimizer == "sgd") {
    return std::make_unique<Sgd>(options.momentum, options.weight_decay, values);
  }
  const bool decoupled = options.optimizer == "adamw";
  if (!decoupled && options.optimizer != "adam") {
    throw std::logic_error("make_optimizer: unknown optimizer " + options.optimizer);
  }
  return std::make_unique<Adam>(options.adam, options.weight_decay, decoupled, values);
}

double euclidean_norm(const Tensor& buffer) {
  double sum = 0.0;
  for_each_slice(buffer, [&](int64_t begin, int64_t length) {
    const Tensor slice = buffer.narrow(0, begin, length);
    sum += torch::dot(slice, slice).item<double>();
  });
  return std::sqrt(sum);
}

double clip_scale(double norm, double longest) {
  return longest > 0.0 && norm > longest ? longest / norm : 1.0;
}

}  // namespace attend::train
