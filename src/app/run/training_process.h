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

/// A run to make in this process, and the caller's functions in the order in which they are called.
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

/// Plans the run, starts the runtime and prepares data and model. With several processes (`peers`;
/// null: only this one), all throw if one of them fails.
[[nodiscard]] ReadyRun set_up_run(RunSteps steps, distributed::Communicator* peers = nullptr);

/// Trains to the end. Throws what train_run() throws.
void train_ready_run(ReadyRun& run, const RunSteps& steps,
                     distributed::Communicator* peers = nullptr);

/// Sets up the run and trains it together with the other processes of `group`. Reports an error to
/// the others and rethrows it.
void train_in_group(const RunSteps& steps, distributed::Group& group);

/// Number of threads of this process if the run has several processes on this machine. `given` is
/// the number for all of them together if `shared`, else for each. If `given` is 0, returns the
/// launcher's number, or else an equal share of the cores.
[[nodiscard]] int64_t threads_of_process(int64_t given, bool shared,
                                         const distributed::Place& place);

/// Returns `device`, or this process's own GPU ("cuda:1") if `device` does not say which and the
/// run has several processes. `gpus` is runtime::count_gpus(). Throws UsageError if the processes
/// on this machine outnumber the GPUs.
[[nodiscard]] std::string device_of_process(const std::string& device,
                                            const distributed::Place& place, int64_t gpus);

}  // namespace attend::app
