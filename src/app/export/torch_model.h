#pragma once
#include <vector>

#include "app/export/exported_file.h"
#include "app/export/obstacle.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// The keys that model.py does not compute. Empty: torch_files() works.
[[nodiscard]] std::vector<Obstacle> torch_obstacles(const Experiment& experiment);

/// The files for PyTorch: SentencePiece models, vocabularies, model.safetensors with the names of
/// our weights files, the section `model` of the config as config.json and, last, model.py, which
/// computes the model. Throws UsageError if there are obstacles.
[[nodiscard]] std::vector<ExportedFile> torch_files(const LoadedModel& loaded);

}  // namespace attend::app
