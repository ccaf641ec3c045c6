#pragma once
#include <cstdint>

#include "config/schema.h"
#include "nn/rnn/names.h"

namespace attend::nn {

/// The config sections `model.encoder.memory` and `model.decoder.memory`: the memory of the cells
/// ntm and dnc.
struct MemoryOptions {
  int64_t slots = 64;
  int64_t width = 20;  // numbers per slot
  int64_t heads = 1;   // read heads; there is one write head
  Controller controller = Controller::lstm;
  bool sharp_links = false;  // dnc: sharpen the weights of heads that follow the order of writes

  bool operator==(const MemoryOptions&) const = default;
};

void describe(config::Schema<MemoryOptions>& schema);

}  // namespace attend::nn
