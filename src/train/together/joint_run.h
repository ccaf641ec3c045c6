#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "train/run_state.h"

namespace attend::train {

/// What Stopped says of a training that a signal ended.
[[nodiscard]] std::string stopped_message();

/// A run as all of its processes see it. Nothing is decided in one of them: what the first one does
/// is told to the others when it is done, and signals and its clock go with every update. A run of
/// one process is its own first one, and nothing is told.
class JointRun {
 public:
  /// What all processes know after lead(): that of the first one.
  struct Shared {
    RunState& state;
    int64_t& saved_update;
  };

  /// Borrows the processes; null: this one is alone.
  explicit JointRun(distributed::Communicator* peers) : peers_(peers) {}

  /// Whether this process writes and shows.
  [[nodiscard]] bool leads() const { return peers_ == nullptr || peers_->leads(); }

  /// Runs `task` in the first process, while the others wait. What it throws, all throw.
  void lead(const std::function<void()>& task, const Shared& shared);

  /// What `task` returns in the first process, where alone it runs. What it throws, all throw.
  [[nodiscard]] std::string decide(const std::function<std::string()>& task) const;

  /// Replaces `values` by those of the first process.
  void take_from_first(const torch::Tensor& values) const;

  /// Values of this process that are summed over all processes with the next update: one count per
  /// stop signal, and the leader's `seconds` of training. Empty if this process is alone.
  [[nodiscard]] std::vector<double> control_values(double seconds) const;
  /// Takes the sums of all processes' control_values().
  void apply(const std::vector<double>& control_values);

  /// The signal after which all of them stop; 0: none.
  [[nodiscard]] int stop_signal() const;
  /// Throws Stopped, with stopped_message(), if there was one.
  void stop_if_asked() const;
  /// Seconds of training by which all of them decide; `own` where this one is alone.
  [[nodiscard]] double seconds(double own) const { return peers_ == nullptr ? own : seconds_; }

 private:
  distributed::Communicator* peers_;
  int signal_ = 0;
  double seconds_ = 0.0;  // RunState::seconds of the first process, before the last update
};

}  // namespace attend::train
