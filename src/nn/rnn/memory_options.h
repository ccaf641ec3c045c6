#pragma once
#include <cstdint>
#include <string>

#include "config/schema.h"

namespace attend::nn {

/// The sections `model.encoder.memory` and `model.decoder.memory`: of the cells that have one, ntm
/// and dnc.
struct MemoryOptions {
  int64_t slots = 64;
  int64_t width = 20;               // numbers in a slot
  int64_t heads = 1;                // that read; one writes
  std::string controller = "lstm";  // lstm | gru: what reads the input and moves the heads
  bool sharp_links = false;         // dnc: heads that follow the order of writing do not blur

  bool operator==(const MemoryOptions&) const = default;
};

void describe(config::Schema<MemoryOptions>& schema);

}  // namespace attend::nn
