#pragma once
#include <cstdint>
#include <vector>

#include "data/corpus_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// Sets the weighted parts of the corpus from the weights of texts_of(options). Does nothing if all
/// weights are 1.
void set_weights(TrainingText& text, const DataOptions& options);

/// The pairs of an epoch, not yet shuffled. If the corpus has no weighted parts, each pair occurs
/// once. In a part of n pairs and weight w, each pair occurs floor(w) times, and round((w -
/// floor(w)) n) pairs occur once more; these are drawn without replacement from the stream "corpus
/// weights" of `seed` for `epoch`.
[[nodiscard]] std::vector<int64_t> pairs_of_epoch(const ParallelCorpus& corpus, uint64_t seed,
                                                  uint64_t epoch);

/// The number of pairs that pairs_of_epoch() returns.
[[nodiscard]] int64_t count_pairs_of_epoch(const ParallelCorpus& corpus);

}  // namespace attend::data
