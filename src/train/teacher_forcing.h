#pragma once
#include "data/batch.h"
#include "model/seq2seq.h"
#include "nn/loss.h"

namespace attend::train {

/// The loss of a batch when the decoder reads the reference: scores over the vocabulary are
/// computed for real positions only. Requires: the batch is on the model's device.
[[nodiscard]] nn::CrossEntropy teacher_forced_loss(const model::Seq2Seq& model,
                                                   const data::Batch& batch,
                                                   double label_smoothing);

}  // namespace attend::train
