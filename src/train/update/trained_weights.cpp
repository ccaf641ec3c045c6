#include "train/update/trained_weights.h"

#include "train/update/moving_average.h"

namespace attend::train {

TrainedWeights::TrainedWeights(torch::nn::Module& module, double ema, const MakeZeros& zeros)
    : parameters_(module, zeros), ema_(ema) {
  if (ema > 0.0) moving_average_ = parameters_.values().clone();
}

void TrainedWeights::average(int64_t update) {
  if (!moving_average_.defined()) return;
  update_moving_average(moving_average_, parameters_.values(), ema_, update);
}

std::unique_ptr<BorrowedValues> TrainedWeights::show() const {
  if (!moving_average_.defined()) return nullptr;
  return std::make_unique<BorrowedValues>(parameters_, moving_average_);
}

bool TrainedWeights::are_finite() const {
  return parameters_.values().isfinite().all().item<bool>();
}

}  // namespace attend::train
