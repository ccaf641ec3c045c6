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

/// The model and data of a run.
struct PreparedRun {
  std::vector<std::string> tokenizer_models;
  RunTokenizers tokenizers;
  RunData data;
  TrainedPieces pieces;
  std::shared_ptr<model::Seq2Seq> model;
};

/// Makes the tokenizers, reads the texts and makes the model of a run. Changes nothing in its
/// folder. `keep`: write the token cache for the next run. `reading`: threads and progress. Throws
/// DataError, ModelFileError, and Stopped after a signal. With several processes (`peers`; null:
/// only this one), the first makes the tokenizers for all. It also reads the text before the
/// others, which may then find it in the token cache.
[[nodiscard]] PreparedRun prepare_run(const PlannedRun& run, c10::Device device, bool keep,
                                      const data::Reading& reading = {},
                                      distributed::Communicator* peers = nullptr);

/// Throws UsageError if processes prepared different runs; the message says what differs and where.
/// `version`: of the program. `threads`: per process.
void check_same_run(const PlannedRun& run, const PreparedRun& prepared, const std::string& version,
                    int64_t threads, distributed::Communicator* peers);

/// Trains to the end, from the beginning or from the saved state, and writes the run's folder.
/// Reports to `progress` and logs the end. Throws what train::Trainer throws. With several
/// processes only the first writes and logs; the others should pass a silent `progress`.
void train_run(PlannedRun& run, const PreparedRun& prepared, train::TrainObserver& progress,
               distributed::Communicator* peers = nullptr);

}  // namespace attend::app
