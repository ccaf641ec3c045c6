#pragma once
#include "app/config/experiment.h"
#include "text/tokenizer.h"

namespace attend::app {

/// `experiment.model` with what it takes from the vocabulary of the source: the id of
/// data.segments.separator. Throws ConfigError where that is not one piece of it.
[[nodiscard]] model::ModelOptions model_options(const Experiment& experiment,
                                                const text::Tokenizer& source);

}  // namespace attend::app
