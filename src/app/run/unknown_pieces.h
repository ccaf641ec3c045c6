#pragma once
#include "data/parallel_corpus.h"

namespace attend::app {

/// Logs the share of unknown pieces (text::kUnk) of each side of the training text, counted in up
/// to 20,000 examples spread over the text. Warns above 1 %, and throws DataError above `most`
/// (data.max_unknown).
void check_unknown_pieces(const data::ParallelCorpus& corpus, double most);

}  // namespace attend::app
