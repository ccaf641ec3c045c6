#pragma once
#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "app/model/shared_tokenizers.h"
#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "model/seq2seq.h"
#include "text/tokenizer.h"
#include "train/batch_stream.h"

namespace attend::app {

/// The tokenizers of a run, owned.
class RunTokenizers {
 public:
  /// `models`: the bytes of one joint SentencePiece model, or of {source, target}.
  RunTokenizers(const std::vector<std::string>& models, const data::DataOptions& options);

  [[nodiscard]] data::TokenizerPair pair() const;

 private:
  SharedTokenizers tokenizers_;
};

/// Throws DataError if a text or a file of links that the config names cannot be opened, and
/// ConfigError if data.cache names a file of something else: before anything slow begins.
void check_data_files(const Experiment& experiment);

/// The models of a run's tokenizers (data::tokenizer_models): those that the token file of the run
/// keeps, if they are of the same text, options and seed; else they are read or trained.
[[nodiscard]] std::vector<std::string> run_models(const Experiment& experiment,
                                                  const std::filesystem::path& directory,
                                                  const data::Reading& reading);

/// The texts of a run as pieces.
struct RunData {
  std::shared_ptr<const data::ParallelCorpus> corpus;
  std::optional<data::DevSet> dev;
};
/// `tokenizers`: those of `tokenizer_models`. `directory` is that of the run, which need not exist
/// yet; the training text is taken from the file that data.cache says, if it was kept there of the
/// same text (data::corpus_key), and is kept there else if `keep`, unless the file is one of
/// something else, which is warned about. Text with links for attention is always read. Logs sizes,
/// and before something is written how much. Throws DataError where the disk has no room for half
/// of what data.storage or a file in data.cache asks for.
[[nodiscard]] RunData read_run_data(const Experiment& experiment,
                                    const data::TokenizerPair& tokenizers,
                                    const std::vector<std::string>& tokenizer_models,
                                    const std::filesystem::path& directory, bool keep,
                                    const data::Reading& reading);

/// Cuts each batch into new pieces with tokenizer.sampling; empty without. `tokenizers` are
/// borrowed.
[[nodiscard]] train::CutPairs cut_of_batches(const Experiment& experiment,
                                             const data::TokenizerPair& tokenizers);

/// The model with its first weights: random, or those of training.init_from. `resumed`: the run's
/// own will take their place, so the folder of init_from may be gone. Logs its size. Throws
/// ModelFileError if the weights do not fit.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> make_model(const Experiment& experiment,
                                                         const data::TokenizerPair& tokenizers,
                                                         c10::Device device, bool resumed);

/// Throws ConfigError where training.precision is not to be had on `device`, UsageError where
/// validation is to translate in one that this CPU or program lacks: before anything is replaced.
void check_precision(const Experiment& experiment, c10::Device device);

/// Logs which implementation of the hot functions training will run, and what has none but the
/// plain one.
void announce_kernels(const train::TrainingOptions& options, const model::Seq2Seq& model,
                      c10::Device device);

/// A fine-tuned model has the vocabulary of the one that it starts from: fills tokenizer.model from
/// training.init_from where the config names no tokenizer. Throws ModelFileError if it has no
/// weights.
void adopt_tokenizers(Experiment& experiment);

}  // namespace attend::app
