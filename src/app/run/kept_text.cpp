#include "app/run/kept_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/model/output_directory.h"
#include "core/error.h"
#include "data/corpus_cache.h"

namespace attend::app {

std::filesystem::path kept_text_file(const Experiment& experiment,
                                     const std::filesystem::path& directory) {
  const data::DataOptions& options = experiment.data;
  if (options.caches_nothing()) return "";
  if (!options.caches_beside_the_run()) return options.cache;
  return full_folder_name(directory) += ".tokens";
}

data::ParallelCorpus load_kept_text(const LoadedModel& model) {
  const auto file = kept_text_file(model.experiment, model.directory);
  const data::DataOptions& options = model.experiment.data;
  const int64_t vocabulary = std::max(model.source->size(), model.target->size());
  auto text =
      data::load_corpus(file, {data::corpus_key(options, tokenizer_bytes(model.directory)),
                               vocabulary, data::count_sources(options), /*leave_ids=*/true});
  if (text) return std::move(text->corpus);
  throw DataError(
      file,
      "does not match the model's training text and tokenizers; the files of data.train must be "
      "unchanged since training");
}

}  // namespace attend::app
