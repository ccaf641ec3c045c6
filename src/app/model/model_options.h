#pragma once
#include "app/config/experiment.h"
#include "text/tokenizer.h"

namespace attend::app {

/// `experiment.model` with the id of data.segments.separator in the source vocabulary. Throws
/// ConfigError if the separator is not a single piece.
[[nodiscard]] model::ModelOptions model_options(const Experiment& experiment,
                                                const text::Tokenizer& source);

}  // namespace attend::app
