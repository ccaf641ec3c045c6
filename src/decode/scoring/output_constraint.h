#pragma once
#include <torch/types.h>

#include <span>

#include "text/vocabulary.h"

namespace attend::decode {

/// Tokens that a sentence's output must not contain, beyond its prefix. Safe to call from several
/// threads.
class OutputConstraint {
 public:
  virtual ~OutputConstraint() = default;
  /// In `row` [V], sets the log-probability of every token that must not follow `tokens` to minus
  /// infinity.
  virtual void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const = 0;
};

}  // namespace attend::decode
