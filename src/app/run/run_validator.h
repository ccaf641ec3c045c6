#pragma once
#include <memory>

#include "app/config/experiment.h"
#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "distributed/communicator.h"
#include "train/validator.h"

namespace attend::app {

/// A validator that scores a model on `dev` as training with this config does. It throws Stopped
/// between batches after a signal. Borrows `dev`, the tokenizers and `peers` (null: only this
/// process).
[[nodiscard]] std::unique_ptr<train::DevSetValidator> make_validator(
    const Experiment& experiment, const data::DevSet& dev, const data::TokenizerPair& tokenizers,
    distributed::Communicator* peers = nullptr);

}  // namespace attend::app
