#include "data/batch_options.h"

namespace attend::data {

void describe(config::Schema<BatchOptions>& schema) {
  schema.integer("size", &BatchOptions::size, config::in_range<int64_t>(1, 1'000'000'000),
                 "Size of a batch.");
  schema.choice(
      "unit", &BatchOptions::unit,
      "Unit of size. tokens: tokens of the longer side, including end symbols and padding. With "
      "tokenizer.sampling, tokens are counted before sampling, which adds some.");
}

}  // namespace attend::data
