#include "train/optimizer.h"

#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/optimizer.h"
#include "nn/execution.h"

namespace attend::train {
namespace {

using torch::Tensor;

/// Elements per slice on the CPU: the four buffers of a slice fit the cache of a core while all
/// operations of a step run over them.
constexpr int64_t kSlice = int64_t{1} << 15;

/// Slices that cover `buffer`.
struct Slices {
  explicit Slices(const Tensor& buffer)
      : total(buffer.numel()), size(buffer.is_cpu() ? kSlice : std::max<int64_t>(total, 1)) {}

  [[nodiscard]] int64_t count() const { return (total + size - 1) / size; }
  [[nodiscard]] Tensor of(const Tensor& buffer, int64_t slice) const {
    const int64_t begin = slice * size;
    return buffer.narrow(0, begin, std::min(size, total - begin));
  }

  int64_t total;
  int64_t size;
};

/// Calls `work(slice)` for each, several at a time: the threads start once, not once for every
/// operation on a slice, which costs more than the operation where other programs want the cores.
void for_each_slice(const Slices& slices, const std::function<void(int64_t)>& work) {
  at::parallel_for(0, slices.count(), /*grain_size=*/1, [&](int64_t begin, int64_t end) {
    const torch::NoGradGuard no_grad;  // belongs to the thread
    for (int64_t slice = begin; slice < end; ++slice) work(slice);
  });
}

/// Calls `work` with a tag for the type of the elements: float{} or double{}.
template <class Work>
void with_type_of(const Tensor& values, const Work& work) {
  values.scalar_type() == torch::kFloat64 ? work(double{}) : work(float{});
}

class Adam final : public Optimizer {
 public:
  Adam(const AdamOptions& options, double weight_decay, bool decoupled, const Tensor& values)
      : options_(options),
        shrinking_(decoupled ? weight_decay : 0.0),
        decay_(decoupled ? 0.0 : weight_decay),
        mean_(torch::zeros_like(values)),
        square_(torch::zeros_like(values)) {}

  void apply(const OptimizerStep& step) override {
    if (nn::is_fusible(step.values)) {
      with_type_of(step.values, [&](auto tag) { apply_fused<decltype(tag)>(step); });
      return;
    }
    const Slices slices(step.values);
    for_each_slice(slices, [&](int64_t slice) {
      apply_slice(step, slices.of(step.values, slice), slices.of(step.gradients, slice),
                  {slices.of(mean_, slice), slices.of(square_, slice)});
    });
  }

  [[nodiscard]] std::map<std::string, Tensor> state() const override {
    return {{"adam.mean", mean_}, {"adam.square", square_}};
  }

 private:
  struct Moments {
    Tensor mean;
    Tensor square;
  };

  /// The last line of Alg. 1, m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), with
  /// numerator and denominator multiplied by sqrt(1 - beta2^t), which saves a division.
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
    kernels::adam_step(kernels::AdamStep<T>{
        step.values.numel(), step.values.data_ptr<T>(), step.gradients.data_ptr<T>(),
        mean_.data_ptr<T>(), square_.data_ptr<T>(), step.gradient_scale, shrink(step), decay_,
        options_.beta1, options_.beta2, by.step_size, by.epsilon});
  }

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
  double shrinking_;  // weight decay apart from the gradient
  double decay_;      // and as a part of it
  Tensor mean_;       // [P] of the gradients
  Tensor square_;     // [P] of the squared gradients
};

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, double weight_decay, const Tensor& values)
      : momentum_(momentum), weight_decay_(weight_decay) {
    if (momentum > 0.0) velocity_ = torch::zeros_like(values);
  }

  void apply(const OptimizerStep& step) override {
    if (nn::is_fusible(step.values)) {
      with_type_of(step.values, [&](auto tag) { apply_fused<decltype(tag)>(step); });
      return;
    }
    const Slices slices(step.values);
    for_each_slice(slices, [&](int64_t slice) {
      Tensor values = slices.of(step.values, slice);
      Tensor gradients = slices.of(step.gradients, slice);
      if (step.gradient_scale != 1.0) gradients.mul_(step.gradient_scale);
      if (weight_decay_ > 0.0) gradients.add_(values, weight_decay_);
      if (velocity_.defined()) {
        gradients.copy_(slices.of(velocity_, slice).mul_(momentum_).add_(gradients));
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
        step.values.numel(), step.values.data_ptr<T>(), step.gradients.data_ptr<T>(),
        velocity_.defined() ? velocity_.data_ptr<T>() : nullptr, step.gradient_scale, weight_decay_,
        momentum_, step.learning_rate});
  }

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
  const Slices slices(buffer);
  std::vector<double> sums(static_cast<std::size_t>(slices.count()));
  for_each_slice(slices, [&](int64_t slice) {
    const Tensor elements = slices.of(buffer, slice);
    sums[static_cast<std::size_t>(slice)] = torch::dot(elements, elements).item<double>();
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double clip_scale(double norm, double longest) {
  return longest > 0.0 && norm > longest ? longest / norm : 1.0;
}

}  // namespace attend::train
