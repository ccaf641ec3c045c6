#pragma once
#include <array>
#include <cstdint>

#include "config/schema.h"
#include "core/named_enum.h"

namespace attend::data {

/// The unit of a batch size.
enum class BatchUnit { sentences, tokens };

constexpr auto name_table(BatchUnit) {
  return std::to_array<NamedValue<BatchUnit>>(
      {{BatchUnit::sentences, "sentences"}, {BatchUnit::tokens, "tokens"}});
}

/// The config section `training.batch`.
struct BatchOptions {
  int64_t size = 4000;
  /// tokens: each side of a batch has at most `size` tokens, end symbols and padding included,
  /// unless the batch is a single longer pair. sentences: `size` pairs.
  BatchUnit unit = BatchUnit::tokens;
};

void describe(config::Schema<BatchOptions>& schema);

}  // namespace attend::data
