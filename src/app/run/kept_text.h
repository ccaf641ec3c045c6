#pragma once
#include <filesystem>

#include "app/model/loaded_model.h"
#include "data/parallel_corpus.h"

namespace attend::app {

/// Where a run in `directory` keeps its training text as token ids: .../runs/a.tokens beside
/// runs/a, unless data.cache names a file; empty: nowhere.
[[nodiscard]] std::filesystem::path kept_text_file(const Experiment& experiment,
                                                   const std::filesystem::path& directory);

/// What the model was trained on, from that file, which is mapped into memory. Throws DataError
/// where there is no such file, it is damaged, or it is of other text or tokenizers than the
/// model's config names, and Stopped after a signal.
[[nodiscard]] data::ParallelCorpus load_kept_text(const LoadedModel& model);

}  // namespace attend::app
