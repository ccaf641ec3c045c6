#include "data/batch_options.h"

namespace attend::data {

void describe(config::Schema<BatchOptions>& schema) {
  schema.integer("size", &BatchOptions::size, config::in_range<int64_t>(1, 1'000'000'000),
                 "How much a batch holds.");
  schema.choice(
      "unit", &BatchOptions::unit, {"tokens", "sentences"},
      "What size counts. tokens: of the longer side, end symbols and padding included; with "
      "tokenizer.sampling, of the usual pieces, of which those sampled are more.");
}

}  // namespace attend::data
