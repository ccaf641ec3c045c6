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
  torch::Tensor gradients;  // [Q] used as scratch memory and left zero
  int64_t update = 1;       // from 1
  double learning_rate = 0.0;
  double gradient_scale = 1.0;  // factor applied to the gradients first: clipping, 1 / tokens
  int64_t begin = 0;            // start of the part in the optimiser's statistics
  /// Scalars on the device that hold its decisions; undefined: none. `device_scale` (double) is a
  /// further factor of the gradients. If `skipped` (float) is 1, the step only zeroes the
  /// gradients. Requires: decides_on_device().
  torch::Tensor device_scale = {};
  torch::Tensor skipped = {};
};

/// Turns gradients into new parameters: by a kernel that reads memory once if nn::is_fusible()
/// holds (kernels/layer/optimizer.h), otherwise by LibTorch, on the CPU in slices that fit the
/// cache. The result does not depend on the number of threads.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void apply(const OptimizerStep& step) = 0;
  /// True if apply() takes device_scale and skipped for values on a device.
  [[nodiscard]] virtual bool decides_on_device() const { return false; }

  /// Running statistics by name; the tensors are the ones that apply() changes.
  [[nodiscard]] virtual std::map<std::string, torch::Tensor> state() const = 0;
};

/// Makes the optimiser of the config.
///   adam   Kingma & Ba (2015), Alg. 1; weight_decay times the parameter is added to the gradient
///   adamw  Loshchilov & Hutter (2019), Alg. 2: additionally p <- p - learning_rate weight_decay p
///   sgd    b <- momentum b + g,  p <- p - learning_rate b; weight_decay as in adam
/// `values` [P] gives size, type and device of the statistics, which start at zero; `zeros`
/// allocates them; empty: torch::zeros().
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const TrainingOptions& options,
                                                        const torch::Tensor& values,
                                                        const MakeZeros& zeros = {});

/// The sum of squares, accumulated in double precision over slices; not finite if an element is
/// not. Does not depend on the number of threads.
[[nodiscard]] double sum_of_squares(const torch::Tensor& buffer);

/// The factor that limits gradients of norm `norm` to the norm `longest` (Pascanu, Mikolov & Bengio
/// 2013); 1 if `longest` is 0.
[[nodiscard]] double clip_scale(double norm, double longest);

}  // namespace attend::train
