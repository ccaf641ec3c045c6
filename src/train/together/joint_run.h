#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "train/run_state.h"

namespace attend::train {

/// The message of Stopped after a signal.
[[nodiscard]] std::string stopped_message();

/// Makes all processes of a run act alike. Only the leader (the first process) decides: its results
/// are sent to the others, and every update also carries stop signals and the leader's clock. A run
/// of one process is its own leader and sends nothing.
class JointRun {
 public:
  /// The leader's values, known to all processes after lead().
  struct Shared {
    RunState& state;
    int64_t& saved_update;
  };

  /// Borrows the processes; null: only this one.
  explicit JointRun(distributed::Communicator* peers) : peers_(peers) {}

  /// True if this process writes files and shows progress.
  [[nodiscard]] bool leads() const { return peers_ == nullptr || peers_->leads(); }

  /// Runs `task` in the leader while the others wait, then gives `shared` the leader's values. An
  /// exception from `task` is thrown in all processes.
  void lead(const std::function<void()>& task, const Shared& shared);

  /// Runs `task` in the leader only and returns its result in all processes. An exception from it
  /// is thrown in all processes.
  [[nodiscard]] std::string decide(const std::function<std::string()>& task) const;

  /// Replaces `values` by the leader's.
  void take_from_first(const torch::Tensor& values) const;

  /// Values of this process that are summed over all processes with the next update: one count per
  /// stop signal, and the leader's `seconds` of training. Empty if this process is alone.
  [[nodiscard]] std::vector<double> control_values(double seconds) const;
  /// Takes the sums of all processes' control_values().
  void apply(const std::vector<double>& control_values);

  /// The signal that stops all processes; 0: none.
  [[nodiscard]] int stop_signal() const;
  /// Throws Stopped with stopped_message() if there was a signal.
  void throw_if_stopped() const;
  /// Seconds of training that all processes base decisions on; `own` if there is only this process.
  [[nodiscard]] double seconds(double own) const { return peers_ == nullptr ? own : seconds_; }

 private:
  distributed::Communicator* peers_;
  int signal_ = 0;
  double seconds_ = 0.0;  // RunState::seconds of the leader, before the last update
};

}  // namespace attend::train
