#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "app/model/known_texts.h"
#include "data/corpus_reader.h"
#include "model/seq2seq.h"
#include "text/tokenizer.h"

namespace attend::app {

/// A model folder in memory, ready to translate: the model is in evaluation mode.
struct LoadedModel {
  std::filesystem::path directory;
  Experiment experiment;
  std::shared_ptr<const text::Tokenizer> source;
  std::shared_ptr<const text::Tokenizer> target;
  std::shared_ptr<const KnownTexts> known;  ///< null for a model of an earlier version
  std::filesystem::path weights_file;
  std::unique_ptr<model::Seq2Seq> model;
  double weight = 1.0;  ///< in an ensemble, relative to the other members

  [[nodiscard]] data::TokenizerPair tokenizers() const { return {*source, *target}; }
};

/// Throws ModelFileError unless `directory` is a folder. If it does not exist, the message suggests
/// the folder with the most similar name in its parent folder, or else lists the models there or in
/// the folder "runs".
void require_model_directory(const std::filesystem::path& directory);

/// Reads the resolved config of the model in `directory`. Throws ModelFileError if the folder or
/// its config is missing, or cannot be used.
[[nodiscard]] Experiment load_experiment(const std::filesystem::path& directory);

/// Reads the resolved config, the SentencePiece models, and the best weights (or else the last
/// ones). Throws ModelFileError if the folder or a file in it is missing, damaged or of another
/// version, or if the folder holds a pipe, a socket or a device.
[[nodiscard]] LoadedModel load_model(const std::filesystem::path& directory, torch::Device device);

/// Loads one model or the members of an ensemble, given as for parse_models(), in this order.
/// Throws UsageError unless all have the target vocabulary and the direction (data.reverse_target)
/// of the first, and what parse_models() throws.
[[nodiscard]] std::vector<LoadedModel> load_models(const std::vector<std::string>& given,
                                                   torch::Device device);

/// Returns true if both models cut every source line into the same pieces.
[[nodiscard]] bool same_source_pieces(const LoadedModel& a, const LoadedModel& b);

/// Throws UsageError, naming `option`, if the model writes its output from the end.
void require_reading_order(const LoadedModel& model, const std::string& option);

/// Throws UsageError, naming `option`, if the model has no attention to show.
void require_attention(const LoadedModel& model, const std::string& option);

}  // namespace attend::app
