#pragma once
#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "app/model/known_texts.h"
#include "app/model/shared_tokenizers.h"
#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "model/seq2seq.h"
#include "text/tokenizer.h"
#include "train/batch_stream.h"

namespace attend::app {

/// Owns the tokenizers of a run.
class RunTokenizers {
 public:
  /// `models`: the bytes of one joint SentencePiece model, or of {source, target}.
  RunTokenizers(const std::vector<std::string>& models, const data::DataOptions& options);

  [[nodiscard]] data::TokenizerPair pair() const;
  [[nodiscard]] KnownTexts known_texts(const TrainedPieces& pieces) const;

 private:
  SharedTokenizers tokenizers_;
};

/// Checks the files of a config before any slow work. Throws DataError if a text or link file
/// cannot be opened, and ConfigError if data.cache names a file that is not a token cache.
void check_data_files(const Experiment& experiment);

/// The SentencePiece models of a run, as bytes. Takes them from the token cache if it was made from
/// the same text, options and seed; otherwise reads or trains them (data::tokenizer_models).
[[nodiscard]] std::vector<std::string> run_models(const Experiment& experiment,
                                                  const std::filesystem::path& directory,
                                                  const data::Reading& reading);

/// The texts of a run as pieces.
struct RunData {
  std::shared_ptr<const data::ParallelCorpus> corpus;
  std::optional<data::DevSet> dev;
};
/// Reads the texts of a run. `tokenizers`: made from `tokenizer_models`. `directory`: the run's
/// folder, which may not exist yet. Loads the training text from the token cache (data.cache) if
/// the cache was made from the same text (data::corpus_key). Otherwise reads the text and, if
/// `keep`, writes the cache; if the cache's file holds anything else, logs a warning instead. Never
/// caches text with links for guided alignment. Logs sizes, and the expected disk use before
/// writing. Throws DataError if the disk has no room for half of what data.storage or a file in
/// data.cache needs.
[[nodiscard]] RunData read_run_data(const Experiment& experiment,
                                    const data::TokenizerPair& tokenizers,
                                    const std::vector<std::string>& tokenizer_models,
                                    const std::filesystem::path& directory, bool keep,
                                    const data::Reading& reading);

/// The function that draws the segmentation and the augmentation of each batch's pairs
/// (data::PairSampler); empty if neither tokenizer.sampling nor data.augment is set. Borrows
/// `tokenizers`.
[[nodiscard]] train::CutPairs cut_of_batches(const Experiment& experiment,
                                             const data::TokenizerPair& tokenizers);

/// The model with its initial weights: random, or read from training.init_from. `resumed`: ignore
/// init_from, because the caller replaces the weights. Logs the size. Throws ModelFileError if the
/// weights do not fit.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> make_model(const Experiment& experiment,
                                                         const data::TokenizerPair& tokenizers,
                                                         c10::Device device, bool resumed);

/// Throws ConfigError if `device` does not support training.precision, UsageError if validation
/// needs a precision that this CPU or program lacks. Call it before any file of an earlier run is
/// replaced.
void check_precision(const Experiment& experiment, c10::Device device);

/// Logs whether training uses fused kernels, and which parts of the model have none.
void announce_kernels(const train::TrainingOptions& options, const model::Seq2Seq& model,
                      c10::Device device);

}  // namespace attend::app
