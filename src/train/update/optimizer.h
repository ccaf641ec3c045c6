#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "train/options.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// One step of an optimiser over flat buffers.
struct OptimizerStep {
  torch::Tensor values;     // [Q] all or a part of the parameters, changed in place
  torch::Tensor gradients;  // [Q] used as scratch and left zero
  int64_t update = 1;       // from 1
  double learning_rate = 0.0;
  double gradient_scale = 1.0;  // what the gradients are multiplied by first: clipping, 1 / tokens
  int64_t begin = 0;            // where the part begins in the optimiser's statistics
};

/// A rule that turns gradients into new parameters: where nn::is_fusible() holds by a kernel that
/// reads memory once (kernels/layer/optimizer.h), else by LibTorch, on the CPU in slices that fit
/// the cache. The result does not depend on the number of threads.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void apply(const OptimizerStep& step) = 0;

  /// Running statistics under their names; the tensors are those that apply() changes.
  [[nodiscard]] virtual std::map<std::string, torch::Tensor> state() const = 0;
};

/// Kinds of optimiser, for the config.
///   adam   Kingma & Ba (2015), Alg. 1; weight_decay times the parameter is added to the gradient
///   adamw  Loshchilov & Hutter (2019), Alg. 2: p <- p - learning_rate weight_decay p besides
///   sgd    b <- momentum b + g,  p <- p - learning_rate b; weight_decay as with adam
/// `values` [P] gives size, type and device of the statistics, which start at zero; `zeros` makes
/// them, and where it is empty torch::zeros().
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const TrainingOptions& options,
                                                        const torch::Tensor& values,
                                                        const MakeZeros& zeros = {});

/// The sum of squares, accumulated in double precision over slices; not finite if an element is
/// not. It does not depend on the number of threads.
[[nodiscard]] double sum_of_squares(const torch::Tensor& buffer);

/// What gradients of that norm are multiplied by so that it is at most `longest` (Pascanu, Mikolov
/// & Bengio 2013); 1 where `longest` is 0.
[[nodiscard]] double clip_scale(double norm, double longest);

}  // namespace attend::train
