#pragma once
#include <cstdint>
#include <string>

#include "config/schema.h"

namespace attend::nn {

/// The config section `model.attention`.
struct AttentionOptions {
  std::string score = "additive";
  std::string distribution = "softmax";
  std::string scope = "global";
  int64_t heads = 1;
  int64_t size = 0;               // inner size A of additive and concat; 0: the query's size
  bool normalized = false;        // additive: g w / ||w|| instead of w
  bool learned_scale = false;     // scaled_dot: a learned factor instead of 1 / sqrt(C)
  int64_t max_source_length = 0;  // location: positions it can see; 0: not set
  double temperature = 1.0;       // softmax: divides the energies
};

void describe(config::Schema<AttentionOptions>& schema);

}  // namespace attend::nn
