#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/run/planned_run.h"
#include "app/run/training_run.h"
#include "distributed/join.h"
#include "distributed/place.h"
#include "runtime/runtime.h"
#include "train/observer.h"

namespace attend::app {

/// A run to make in this process, and the caller's functions, which are called in this order.
struct RunSteps {
  TrainingRequest request;
  std::optional<config::Loaded<Experiment>> config;  ///< load_config(request), if already called
  std::string version;                               ///< of the program
  std::function<runtime::Runtime()> start_runtime;
  std::function<void(const PlannedRun&)> on_plan;
  std::function<void(const data::ReadingProgress&)> on_reading;
  train::TrainObserver& progress;
  std::function<void()> on_stop;  ///< training was stopped by a signal and its state saved
};

/// A planned run with its data and model.
struct ReadyRun {
  PlannedRun plan;
  PreparedRun prepared;
  runtime::Runtime runtime;
};

/// Plans the run, starts the runtime and prepares data and model. Of several processes (`peers`,
/// null: this one is alone) all throw if one of them fails.
[[nodiscard]] ReadyRun set_up_run(RunSteps steps, distributed::Communicator* peers = nullptr);

/// Trains to the end. Throws what train_run() throws.
void train_ready_run(ReadyRun& run, const RunSteps& steps,
                     distributed::Communicator* peers = nullptr);

/// Sets up the run and trains it together with the other processes of `group`. The others learn
/// about an error, which is thrown again.
void train_in_group(const RunSteps& steps, distributed::Group& group);

/// Threads of a process that shares its machine with others of the run. `given` (0: unset) is for
/// all of them together if `shared`, else for each. Unset: those of the launcher, or an equal share
/// of the cores.
[[nodiscard]] int64_t threads_of_process(int64_t given, bool shared,
                                         const distributed::Place& place);

/// `device`, with its own GPU for each process of a machine.
[[nodiscard]] std::string device_of_process(const std::string& device,
                                            const distributed::Place& place);

}  // namespace attend::app
