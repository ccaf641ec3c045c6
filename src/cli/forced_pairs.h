#pragma once
#include <cstdint>
#include <functional>

#include "cli/loaded_model.h"
#include "cli/sentence_attention.h"
#include "data/pair_reader.h"
#include "decode/forced.h"

namespace attend::cli {

/// A sentence pair as the model reads it, and how the model sees it.
struct ForcedPair {
  int64_t id = 0;  ///< from 0
  TokenizedLine source;
  TokenizedLine target;
  decode::ForcedDecoding forced;
};

struct ForceOptions {
  int64_t batch_size = 64;      ///< pairs decoded together
  bool keep_attention = false;  ///< whether forced.attention is wanted
};

/// Decodes all pairs by force and hands them to `take` in their order. Pairs of similar length are
/// decoded together, reading 20 batches ahead. A side longer than data.max_length pieces is cut
/// there, with a warning. Throws DataError for files of different length, Stopped after a signal.
void force_pairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options,
                 const std::function<void(const ForcedPair&)>& take);

}  // namespace attend::cli
