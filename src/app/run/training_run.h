#pragma once
#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "app/run/planned_run.h"
#include "app/run/training_setup.h"
#include "distributed/communicator.h"
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
/// folder. `keep`: the token ids are kept for the next run. `reading`: with how many threads, and
/// who hears of it. Throws DataError, ModelFileError, and Stopped after a signal. Of several
/// processes (`peers`, null: this one is alone) the first makes the tokenizers for all and reads
/// the text before the others, which may find it kept.
[[nodiscard]] PreparedRun prepare_run(const PlannedRun& run, c10::Device device, bool keep,
                                      const data::Reading& reading = {},
                                      distributed::Communicator* peers = nullptr);

/// Throws UsageError where processes prepared different runs, with what differs and where.
/// `version`: of the program. `threads`: with which each computes.
void check_same_run(const PlannedRun& run, const PreparedRun& prepared, const std::string& version,
                    int64_t threads, distributed::Communicator* peers);

/// Trains to the end, from the beginning or from where the run stopped, and writes its folder.
/// `progress` sees what happens. Logs how it ended. Throws what train::Trainer throws.
/// Of several processes the first alone writes and logs, and `progress` of the others should not.
void train_run(PlannedRun& run, const PreparedRun& prepared, train::TrainObserver& progress,
               distributed::Communicator* peers = nullptr);

}  // namespace attend::app
