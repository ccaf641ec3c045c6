#pragma once
#include "data/batch.h"
#include "model/options.h"

namespace attend::model {

/// The source as the encoder is to read it: words backwards (`reverse_source`) and several times
/// over
/// (`repeat_source`), the end symbol once at the end. The batch itself if neither is asked for.
[[nodiscard]] data::SentenceBatch arrange_source(const data::SentenceBatch& source,
                                                 const RecurrentEncoderOptions& options);

}  // namespace attend::model
