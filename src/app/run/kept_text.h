#pragma once
#include <filesystem>

#include "app/model/loaded_model.h"
#include "data/parallel_corpus.h"

namespace attend::app {

/// The token cache of a run in `directory`: runs/a.tokens for runs/a, unless data.cache names a
/// file; empty if the run has no cache.
[[nodiscard]] std::filesystem::path kept_text_file(const Experiment& experiment,
                                                   const std::filesystem::path& directory);

/// Opens the model's training text in its token cache. Throws DataError if the file is missing,
/// damaged, or made from another text or tokenizer than the model's, and Stopped after a signal.
[[nodiscard]] data::ParallelCorpus load_kept_text(const LoadedModel& model);

}  // namespace attend::app
