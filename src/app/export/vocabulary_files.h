#pragma once
#include <vector>

#include "app/export/exported_file.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// The SentencePiece models of a model folder, under their names there, and the pieces in the order
/// of their ids as JSON: shared_vocabulary.json, or source_vocabulary.json and
/// target_vocabulary.json if they differ.
[[nodiscard]] std::vector<ExportedFile> vocabulary_files(const LoadedModel& loaded);

}  // namespace attend::app
