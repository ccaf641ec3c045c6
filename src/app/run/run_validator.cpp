#include "app/run/run_validator.h"

#include <utility>

#include "app/run/dev_protection.h"
#include "core/fault_point.h"
#include "core/signal.h"
#include "train/together/joint_run.h"

namespace attend::app {

std::unique_ptr<train::DevSetValidator> make_validator(const Experiment& experiment,
                                                       const data::DevSet& dev,
                                                       const data::TokenizerPair& tokenizers,
                                                       distributed::Communicator* peers) {
  train::ValidationOptions options = experiment.training.validation;
  options.lowercase = options.lowercase || experiment.data.lowercase;
  const auto between_batches = [] {
    mark_point("batch of validation");
    stop_if_requested(train::stopped_message());
  };
  std::unique_ptr<const train::ProtectedLines> lines;
  if (!experiment.data.protect.empty())
    lines = std::make_unique<DevProtection>(dev, experiment.data, tokenizers);
  return std::make_unique<train::DevSetValidator>(dev, tokenizers, options, experiment.decoding,
                                                  between_batches, peers, std::move(lines));
}

}  // namespace attend::app
