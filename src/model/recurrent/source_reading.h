#pragma once
#include "data/batch.h"
#include "model/options.h"

namespace attend::model {

/// Arranges the source as the encoder reads it: words reversed (`reverse_source`) and repeated
/// (`repeat_source`), with a single end symbol. Returns the batch unchanged if neither is set.
[[nodiscard]] data::SentenceBatch arrange_source(const data::SentenceBatch& source,
                                                 const RecurrentEncoderOptions& options);

}  // namespace attend::model
