#pragma once
#include "nn/rnn/memory_cell.h"

namespace attend::nn {

/// Differentiable neural computer (Graves et al. 2016, "Hybrid computing using a neural network
/// with dynamic external memory", Nature 538, Methods): a controller with a memory that also
/// records which slots are in use and in which order they were written. One step (a prime marks
/// values before the step):
///   usage  u = (u' + w' - u' w') psi,  psi = product over heads of (1 - free_r w_r')
///   write  w = g_w (g_a allocation(u) + (1 - g_a) content_weights(M', k, strength)),
///          M = M' (1 - w e) + w v
///   order  L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p'[j],  L[i, i] = 0,
///          p = (1 - sum w) p' + w
///   read   w_r = m_1 L^T w_r' + m_2 content_weights(M, k_r, strength_r) + m_3 L w_r'
/// The controller's output gives strengths 1 + softplus(.), gates, frees and the erase vector e by
/// sigma(.), and modes m by softmax(.). Everything starts at 0. Free gates start with a bias of -4
/// (the paper gives no value). Otherwise a head that keeps reading one slot would free it bit by
/// bit, which does not show in training on short lines. With `sharp_links` the controller gives
/// each head two more exponents 1 + softplus(.), and L^T w_r' and L w_r' are sharpened() by them
/// (Csordas & Schmidhuber 2019, arXiv 1904.10278). Without `sharp_links`, a write with a total
/// weight below 1 also leaves a weak link in L from the slot written before the last one. This blur
/// grows with every step along the links.
class DncCell final : public MemoryCell {
 public:
  DncCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options);

 protected:
  [[nodiscard]] MemoryState access(const torch::Tensor& instructions,
                                   const MemoryState& before) const override;
  [[nodiscard]] MemoryState first(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] bool keeps_order() const override { return true; }
};

}  // namespace attend::nn
