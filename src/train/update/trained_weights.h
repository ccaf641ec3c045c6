#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "train/update/flat_parameters.h"

namespace attend::train {

/// The parameters that a run trains. With training.ema also their moving average, which is
/// validated and saved instead of them.
class TrainedWeights {
 public:
  /// `ema`: decay of the moving average; 0: none. `module` and `zeros`: see FlatParameters.
  TrainedWeights(torch::nn::Module& module, double ema, const MakeZeros& zeros = {});

  [[nodiscard]] const FlatParameters& parameters() const { return parameters_; }
  /// [P]; undefined if there is none.
  [[nodiscard]] const torch::Tensor& moving_average() const { return moving_average_; }

  /// Adds the parameters to the moving average, after the applied update of this number (from 1).
  void average(int64_t update);

  /// Gives the module's parameters the values to validate and save, for the lifetime of the result.
  /// Null if they have these values already.
  [[nodiscard]] std::unique_ptr<BorrowedValues> show() const;

  /// True if no parameter is NaN or infinite.
  [[nodiscard]] bool are_finite() const;

 private:
  FlatParameters parameters_;
  double ema_;
  torch::Tensor moving_average_;  // [P]; undefined without ema
};

}  // namespace attend::train
