#pragma once
#include <string>

#include "app/config/experiment.h"
#include "data/corpus_reader.h"
#include "data/parallel_corpus.h"
#include "model/seq2seq.h"

namespace attend::app {

/// The report of `train --dry-run`: the first pairs in pieces, the shapes between blocks for the
/// first batch, and the parameters by block. Puts the model into evaluation mode.
[[nodiscard]] std::string dry_run_report(const Experiment& experiment,
                                         const data::ParallelCorpus& corpus,
                                         const data::TokenizerPair& tokenizers,
                                         model::Seq2Seq& model);

}  // namespace attend::app
