#pragma once
#include "nn/rnn/memory_cell.h"

namespace attend::nn {

/// Neural Turing machine (Graves, Wayne & Danihelka 2014, arXiv 1410.5401): a controller with a
/// memory whose heads are moved by content and by location. Of the controller's state, each head
/// gets a key k, its strength softplus(.), a gate g = sigma(.), a shift s = softmax(.) over the
/// slot before, the same and the one behind, and an exponent 1 + softplus(.); then, Eq. 5-9,
///   w_c = content_weights(M', k, strength),  w_g = g w_c + (1 - g) w',
///   w = sharpened(shifted(w_g, s), exponent).
/// The head that writes has a vector to erase, sigma(.), and one to add, tanh(.), too (Eq. 3-4);
/// what is read is read after that (Eq. 2). All heads are moved by the memory M' before the step.
/// Every slot begins at 1e-6 (Collier & Beel 2018, arXiv 1807.08518, Sec. 3.1), and all heads at
/// the first slot.
class NtmCell final : public MemoryCell {
 public:
  NtmCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options);

 protected:
  [[nodiscard]] MemoryState access(const torch::Tensor& said,
                                   const MemoryState& before) const override;
  [[nodiscard]] MemoryState first(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] bool keeps_order() const override { return false; }
};

}  // namespace attend::nn
