#pragma once
#include <cstdint>

#include "config/schema.h"
#include "nn/rnn/names.h"

namespace attend::nn {

/// The sections `model.encoder.memory` and `model.decoder.memory`: the memory of the cells ntm and
/// dnc.
struct MemoryOptions {
  int64_t slots = 64;
  int64_t width = 20;  // numbers in a slot
  int64_t heads = 1;   // that read; one writes
  Controller controller = Controller::lstm;
  bool sharp_links = false;  // dnc: heads that follow the order of writing do not blur

  bool operator==(const MemoryOptions&) const = default;
};

void describe(config::Schema<MemoryOptions>& schema);

}  // namespace attend::nn
