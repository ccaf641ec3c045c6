#pragma once
#include <memory>
#include <utility>

#include "nn/dropout.h"
#include "nn/layer_norm.h"

namespace attend::model {

/// What stands around each part f of a transformer layer, with layer normalisation
///   after it ("post"):  LN(x + dropout(f(x)))   (Vaswani et al. 2017, Sec. 3.1), or
///   before it ("pre"):  x + dropout(f(LN(x)))   (Xiong et al. 2020, arXiv 2002.04745).
class Residual {
 public:
  /// `norm` belongs to somebody else, too, and says whether dropout is active.
  Residual(std::shared_ptr<nn::LayerNorm> norm, bool norm_first, double dropout)
      : norm_(std::move(norm)), norm_first_(norm_first), dropout_(dropout) {}

  /// x [..., C]; `part`: [..., C] -> [..., C].
  template <class Part>
  [[nodiscard]] torch::Tensor around(const torch::Tensor& x, const Part& part) const {
    return norm_first_ ? x + dropped(part(norm_->forward(x)))
                       : norm_->forward(x + dropped(part(x)));
  }

 private:
  [[nodiscard]] torch::Tensor dropped(const torch::Tensor& x) const {
    return nn::dropout(x, dropout_, norm_->is_training());
  }

  std::shared_ptr<nn::LayerNorm> norm_;
  bool norm_first_;
  double dropout_;
};

}  // namespace attend::model
