#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "data/pair_reader.h"
#include "metrics/tokenizer/writing.h"

namespace attend::app {

/// Warns of sides that do not separate words by spaces (metrics::Writing), because links between
/// such words mean little.
class UnspacedSides {
 public:
  /// Adds pairs, until metrics::Writing::kEnough suffice.
  void add(std::span<const data::LinePair> pairs);
  /// Logs a warning for each such side; `advice` ends it: "tokenise it first".
  void warn(std::string_view advice) const;

 private:
  metrics::Writing source_;
  metrics::Writing target_;
  int64_t pairs_ = 0;
};

}  // namespace attend::app
