#pragma once
#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "app/planned_run.h"
#include "app/training_setup.h"
#include "model/seq2seq.h"
#include "train/observer.h"

namespace attend::app {

/// What a run trains, and on what.
struct PreparedRun {
  std::vector<std::string> tokenizer_models;
  RunTokenizers tokenizers;
  RunData data;
  std::shared_ptr<model::Seq2Seq> model;
};

/// Makes the tokenizers, reads the texts and makes the model of a run. Changes nothing in its
/// folder. `keep`: the token ids are kept for the next run. Throws DataError, ModelFileError, and
/// Stopped after a signal.
[[nodiscard]] PreparedRun prepare_run(const PlannedRun& run, c10::Device device, bool keep);

/// Trains to the end, from the beginning or from where the run stopped, and writes its folder.
/// `progress` sees what happens. Logs how it ended. Throws what train::Trainer throws.
void train_run(PlannedRun& run, const PreparedRun& prepared, train::TrainObserver& progress);

}  // namespace attend::app
