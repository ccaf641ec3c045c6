#include "app/run/training_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/cores.h"
#include "core/error.h"
#include "core/log.h"
#include "distributed/agreement.h"
#include "distributed/peer_error.h"
#include "runtime/device_identity.h"
#include "runtime/tf32.h"
#include "train/options.h"
#include "train/together/joint_update.h"

namespace attend::app {
namespace {

PlannedRun plan(RunSteps& steps) {
  if (!steps.config) steps.config = load_config(steps.request);
  return plan_run(steps.request, std::move(*steps.config));
}

/// Each process updates weights of its own, which must be bit-identical, so all devices are alike.
/// NCCL needs a GPU for each process.
void check_devices(torch::Device device, distributed::Communicator* peers) {
  if (peers == nullptr) return;
  const runtime::DeviceIdentity own = runtime::identify(device);
  distributed::check_alike(peers, "the devices", {{"the device (--device)", own.model}});
  distributed::check_available(device);
  distributed::check_distinct(peers, "the GPUs", own.id,
                              "use the same GPU; --device cuda gives each process of a machine its "
                              "own, if there are enough");
}

/// How the processes exchange gradients, for the log.
std::string way_of_gradients(const ReadyRun& run, const distributed::Group& group) {
  if (!run.runtime.device.is_cpu()) return "through NCCL";
  const bool share = train::share_memory(run.plan.experiment.training, run.runtime.device, &group);
  if (!share && !distributed::has_fast_messages())
    log::warning(
        "this program was built without Gloo, so gradients go through the rendezvous, which is "
        "slow; a program built with Debian 12's LibTorch is faster");
  return share ? "in shared memory" : "by messages";
}

/// Connects the processes and checks that they prepared the same run.
void connect(const ReadyRun& run, const std::string& version, distributed::Group& group) {
  const train::TrainingOptions& options = run.plan.experiment.training;
  group.connect(
      std::chrono::milliseconds(static_cast<int64_t>(1000.0 * options.distributed.timeout)),
      run.runtime.device);
  check_same_run(run.plan, run.prepared, version, run.runtime.threads, &group);
  log::info("{} processes of {} threads train together {}", group.size(), run.runtime.threads,
            way_of_gradients(run, group));
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
  check_devices(runtime.device, peers);
  steps.on_plan(run);
  const data::Reading reading{runtime.threads, run.follows ? nullptr : steps.on_reading};
  PreparedRun prepared = prepare_run(run, runtime.device, !steps.request.dry, reading, peers);
  return {std::move(run), std::move(prepared), runtime};
}

void train_ready_run(ReadyRun& run, const RunSteps& steps, distributed::Communicator* peers) {
  train::TrainObserver no_observer;
  train::TrainObserver& progress = run.plan.follows ? no_observer : steps.progress;
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

std::string device_of_process(const std::string& device, const distributed::Place& place,
                              int64_t gpus) {
  const bool any = device == "cuda" || device == "auto";
  if (place.alone() || !any || gpus == 0) return device;
  // A launcher may give each process a GPU of its own, which is then GPU 0. --ranks does not.
  const bool is_local_rank = !place.connections.empty();
  if (gpus == 1 && !is_local_rank) return "cuda:0";
  const int64_t needed = std::max(place.local_size, place.local_rank + 1);
  if (gpus < needed)
    throw UsageError(
        fmt::format("{} processes on this machine need a GPU each, but it has {}; start {}, or "
                    "train on the CPU with --device cpu",
                    needed, gpus, gpus == 1 ? "one process" : fmt::format("{} processes", gpus)));
  return fmt::format("cuda:{}", place.local_rank);
}

}  // namespace attend::app
