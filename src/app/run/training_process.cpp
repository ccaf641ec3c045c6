#include "app/run/training_process.h"

#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/cores.h"
#include "core/error.h"
#include "core/log.h"
#include "distributed/agreement.h"
#include "distributed/peer_error.h"
#include "runtime/tf32.h"
#include "train/options.h"
#include "train/together/joint_update.h"

namespace attend::app {
namespace {

PlannedRun plan(RunSteps& steps) {
  if (!steps.config) steps.config = load_config(steps.request);
  return plan_run(steps.request, std::move(*steps.config));
}

/// Connects the processes and checks that they prepared the same run.
void connect(const ReadyRun& run, const std::string& version, distributed::Group& group) {
  const train::TrainingOptions& options = run.plan.experiment.training;
  group.connect(
      std::chrono::milliseconds(static_cast<int64_t>(1000.0 * options.distributed.timeout)));
  check_same_run(run.plan, run.prepared, version, run.runtime.threads, &group);
  log::info("{} processes of {} threads train together {}", group.size(), run.runtime.threads,
            train::share_memory(options, run.runtime.device, &group) ? "in shared memory"
                                                                     : "by messages");
}

}  // namespace

ReadyRun set_up_run(RunSteps steps, distributed::Communicator* peers) {
  PlannedRun run;
  distributed::agree(peers, "the plan", [&] { run = plan(steps); });
  runtime::Runtime runtime;
  distributed::agree(peers, "the device", [&] {
    runtime = steps.start_runtime();
    check_precision(run.experiment, runtime.device);
    runtime::allow_tf32(run.experiment.training.precision != train::Precision::f32);
  });
  steps.on_plan(run);
  const data::Reading reading{runtime.threads, run.follows ? nullptr : steps.on_reading};
  PreparedRun prepared = prepare_run(run, runtime.device, !steps.request.dry, reading, peers);
  return {std::move(run), std::move(prepared), runtime};
}

void train_ready_run(ReadyRun& run, const RunSteps& steps, distributed::Communicator* peers) {
  train::TrainObserver nobody;
  train::TrainObserver& progress = run.plan.follows ? nobody : steps.progress;
  try {
    train_run(run.plan, run.prepared, progress, peers);
  } catch (const Stopped&) {
    steps.on_stop();
    throw;
  }
}

void train_in_group(const RunSteps& steps, distributed::Group& group) {
  try {
    ReadyRun run = set_up_run(steps, &group);
    connect(run, steps.version, group);
    train_ready_run(run, steps, &group);
  } catch (const distributed::PeerError&) {
    throw;
  } catch (const UserError& error) {
    group.report_failure(error.what());
    group.part();
    throw;
  } catch (const std::exception& error) {
    group.report_failure(error.what());
    throw;
  }
  group.part();
}

int64_t threads_of_process(int64_t given, bool shared, const distributed::Place& place) {
  if (given > 0 && !shared) return given;
  if (given == 0 && place.threads) return *place.threads;
  return std::max<int64_t>(1, (given > 0 ? given : usable_cores()) / place.local_size);
}

std::string device_of_process(const std::string& device, const distributed::Place& place) {
  // A launcher may give each process a card of its own, which is then card 0.
  const int64_t index = torch::cuda::device_count() == 1 ? 0 : place.local_rank;
  const bool any = device == "cuda" || (device == "auto" && torch::cuda::is_available());
  return any ? fmt::format("cuda:{}", index) : device;
}

}  // namespace attend::app
