#pragma once
#include <cstdint>
#include <string>

#include "config/schema.h"

namespace attend::data {

/// The config section `training.batch`.
struct BatchOptions {
  int64_t size = 4000;
  /// tokens: neither side of a batch has more than `size` tokens, end symbols and padding included
  /// (one pair may, where it alone is longer). sentences: `size` pairs.
  std::string unit = "tokens";
};

void describe(config::Schema<BatchOptions>& schema);

}  // namespace attend::data
