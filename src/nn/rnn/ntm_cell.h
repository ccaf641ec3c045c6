#pragma once
#include "nn/rnn/memory_cell.h"

namespace attend::nn {

/// Neural Turing machine (Graves, Wayne & Danihelka 2014, arXiv 1410.5401): a controller with a
/// memory whose heads are addressed by content and by location. For each head, the controller's
/// state gives a key k, its strength softplus(.), a gate g = sigma(.), a shift s = softmax(.) over
/// the previous, same and next slot, and an exponent 1 + softplus(.). Then (Eq. 5-9)
///   w_c = content_weights(M', k, strength),  w_g = g w_c + (1 - g) w',
///   w = sharpened(shifted(w_g, s), exponent).
/// The write head also gets vectors to erase, sigma(.), and to add, tanh(.) (Eq. 3-4). Reading
/// follows the write (Eq. 2). All heads are addressed by the memory M' before the step. Slots start
/// at 1e-6 (Collier & Beel 2018, arXiv 1807.08518, Sec. 3.1), and heads start at the first slot.
class NtmCell final : public MemoryCell {
 public:
  NtmCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options);

 protected:
  [[nodiscard]] MemoryState access(const torch::Tensor& instructions,
                                   const MemoryState& before) const override;
  [[nodiscard]] MemoryState first(int64_t rows, const torch::Tensor& like) const override;
  [[nodiscard]] bool keeps_order() const override { return false; }
};

}  // namespace attend::nn
