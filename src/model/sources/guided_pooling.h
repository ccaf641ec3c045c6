#pragma once
#include <memory>

#include "nn/linear.h"

namespace attend::model {

/// Energies of the attention A(X; g) of Lu et al. (2016), Eq. 6, which pools the x_i given a guide
/// g:
///   e_i = w . tanh(W_x x_i + W_g g)
class GuidedPooling final : public torch::nn::Module {
 public:
  /// States and guide have `size` features. If not `guided`, g is 0 and there is no W_g.
  GuidedPooling(int64_t size, int64_t inner_size, bool guided);

  /// states [B, S, C]; guide [B, C], undefined if not guided -> [B, S].
  [[nodiscard]] torch::Tensor energies(const torch::Tensor& states,
                                       const torch::Tensor& guide) const;

 private:
  std::shared_ptr<nn::Linear> state_;   // W_x
  std::shared_ptr<nn::Linear> guide_;   // W_g; null if not guided
  std::shared_ptr<nn::Linear> energy_;  // w
};

}  // namespace attend::model
