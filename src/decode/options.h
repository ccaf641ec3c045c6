#pragma once
#include <cstdint>

#include "config/schema.h"

namespace attend::decode {

/// The config section `decoding`, and what `translate` and `eval` can override.
struct DecodingOptions {
  int64_t beam = 5;
  double length_penalty = 1.0;     // alpha: scores are divided by length^alpha
  int64_t batch_size = 64;         // sentences decoded together
  double max_length_ratio = 2.0;   // longest output: ratio * source length + 10 pieces
};

void describe(config::Schema<DecodingOptions>& schema);

}  // namespace attend::decode
