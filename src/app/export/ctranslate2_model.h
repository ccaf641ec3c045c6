#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/export/ctranslate2_file.h"
#include "app/export/exported_file.h"
#include "app/export/obstacle.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// Positions that an exported table of position vectors covers: twice the longest input that
/// CTranslate2 accepts by default.
inline constexpr int64_t kExportedPositions = 2048;

/// The keys that CTranslate2's Transformer cannot express. Empty: ctranslate2_files() works.
[[nodiscard]] std::vector<Obstacle> ctranslate2_obstacles(const Experiment& experiment);

/// The parameters `weights` (storage::weights_of()) of a model with `options`, under CTranslate2's
/// names and in its layouts:
///   - query, key and value of a self-attention are one matrix, key and value of the attention to
///     the source another, one below the other;
///   - position vectors (sinusoidal, learned or none) become a table of kExportedPositions vectors;
///     learned ones repeat their last vector;
///   - projections without a counterpart are multiplied into their neighbours: a stack's input
///     projection into its word vectors, the decoder's projection of the encoder's vectors into its
///     keys and values;
///   - the scale of an attention is written out, with the temperature divided in.
/// Requires: there are no obstacles.
[[nodiscard]] Ctranslate2Variables ctranslate2_variables(
    const std::map<std::string, torch::Tensor>& weights, const model::ModelOptions& options);

/// The files of a CTranslate2 model: the SentencePiece models under the names that they have in our
/// model folders, vocabularies, config.json and, last, model.bin. Throws UsageError, naming
/// `format`, if there are obstacles.
[[nodiscard]] std::vector<ExportedFile> ctranslate2_files(const LoadedModel& loaded,
                                                          const std::string& format);

}  // namespace attend::app
