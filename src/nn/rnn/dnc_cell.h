#pragma once
#include "nn/rnn/memory_cell.h"

namespace attend::nn {

/// Differentiable neural computer (Graves et al. 2016, "Hybrid computing using a neural network
/// with dynamic external memory", Nature 538, Methods): a controller with a memory of which it
/// knows what is in use and in which order it was written. A step (w' and others with a prime:
/// before it):
///   usage  u = (u' + w' - u' w') psi,  psi = product over heads of (1 - free_r w_r')
///   write  w = g_w (g_a allocation(u) + (1 - g_a) content_weights(M', k, strength)),
///          M = M' (1 - w e) + w v
///   order  L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p'[j],  L[i, i] = 0,
///          p = (1 - sum w) p' + w
///   read   w_r = m_1 L^T w_r' + m_2 content_weights(M, k_r, strength_r) + m_3 L w_r'
/// with strengths 1 + softplus(.), gates, frees and erasing e by sigma(.) and modes m by softmax(.)
/// of what the controller says. Everything begins at 0. Free gates have a bias of -4 before they
/// learn (the paper does not say): a head that rests on a slot would otherwise give it away bit by
/// bit, which lines as short as those learnt from do not show. With `sharp_links` the controller
/// gives each head two exponents 1 + softplus(.) more, and L^T w_r' and L w_r' are sharpened() by
/// them (Csordas & Schmidhuber 2019, arXiv 1904.10278): a write of less than all its
/// weight leaves a trace of the slot before the last in L, which would otherwise grow with every
/// step along it.
class DncCell final : public MemoryCell {
 public:
  DncCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options);

 protected:
  [[nodiscard]] MemoryState access(const torch::Tensor& said,
                                   const MemoryState& before) const override;
  [[nodiscard]] MemoryState first(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] bool keeps_order() const override { return true; }
};

}  // namespace attend::nn
