#pragma once
#include <vector>

#include "model/decoder_state.h"
#include "nn/attention/memory.h"

namespace attend::model {

/// Memories that a decoder reads at every step, as prepared by its attention: one for each source,
/// level or decoder layer. Rows are sentences, readers are hypotheses.
using Memories = std::vector<nn::PreparedMemory>;

/// Applies nn::PreparedMemory::select(), with_owners() or restrict_to() to each memory.
[[nodiscard]] Memories select(const Memories& memories, const torch::Tensor& rows);
[[nodiscard]] Memories with_owners(const Memories& memories);
[[nodiscard]] Memories restrict_to(const Memories& memories, const torch::Tensor& columns);

/// Start of decoding; a value type. Beam search selects the rows of unfinished sentences.
struct Encoded {
  Memories memories;   // rows = sentences (or hypotheses)
  DecoderState start;  // the same rows

  /// Row i of the result is row rows[i] ([N] int64) of this object.
  [[nodiscard]] Encoded select(const torch::Tensor& rows) const;
};

}  // namespace attend::model
