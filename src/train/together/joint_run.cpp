#include "train/together/joint_run.h"

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/option_name.h"
#include "core/signal.h"

namespace attend::train {
namespace {

constexpr std::array kStopSignals = {SIGTERM, SIGINT, SIGHUP};

}  // namespace

std::string stopped_message() {
  return "stopped by a signal; continue with " + option_name("resume");
}

void JointRun::lead(const std::function<void()>& task, const Shared& shared) {
  if (peers_ == nullptr) return task();
  const std::string message = decide([&] {
    task();
    return nlohmann::json{{"state", shared.state}, {"saved", shared.saved_update}}.dump();
  });
  const auto decided = nlohmann::json::parse(message);
  if (!leads()) shared.state = decided.at("state").get<RunState>();
  shared.saved_update = decided.at("saved").get<int64_t>();
  seconds_ = shared.state.seconds;
}

std::string JointRun::decide(const std::function<std::string()>& task) const {
  return peers_ == nullptr ? task() : peers_->decide(task);
}

void JointRun::take_from_first(const torch::Tensor& values) const {
  if (peers_ != nullptr) peers_->take_from_first(values);
}

std::vector<double> JointRun::control_values(double seconds) const {
  if (peers_ == nullptr) return {};
  std::vector<double> values;
  for (const int signal : kStopSignals) values.push_back(requested_stop() == signal ? 1.0 : 0.0);
  values.push_back(leads() ? seconds : 0.0);
  return values;
}

void JointRun::apply(const std::vector<double>& control_values) {
  if (peers_ == nullptr) return;
  for (std::size_t i = 0; i < kStopSignals.size(); ++i)
    if (control_values[i] > 0.0 && signal_ == 0) signal_ = kStopSignals[i];
  seconds_ = control_values.back();
}

int JointRun::stop_signal() const {
  return peers_ == nullptr ? requested_stop() : signal_;
}

void JointRun::throw_if_stopped() const {
  if (const int signal = stop_signal(); signal != 0) throw Stopped(signal, stopped_message());
}

}  // namespace attend::train
