#pragma once
#include <cstdint>
#include <vector>

#include "data/corpus_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// Gives the examples of `text` the weights of the texts that they come from. Nothing where all are
/// 1.
void set_weights(TrainingText& text, const DataOptions& options);

/// The pairs of an epoch, not yet shuffled. Without parts each once. Of a part of n pairs and
/// weight w each floor(w) times, and round((w - floor(w)) n) of them, drawn without replacement
/// from the stream "corpus weights" of `seed` for `epoch`, once more.
[[nodiscard]] std::vector<int64_t> pairs_of_epoch(const ParallelCorpus& corpus, uint64_t seed,
                                                  uint64_t epoch);

/// How many those are.
[[nodiscard]] int64_t count_pairs_of_epoch(const ParallelCorpus& corpus);

}  // namespace attend::data
