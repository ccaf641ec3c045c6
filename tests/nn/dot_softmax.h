#pragma once
#include <string>

#include "nn/attention/options.h"

namespace attend::nn {

/// Options with two heads that the kernels support: the score `name`, a dot product, or scaled dot
/// products with the scope `name`.
inline AttentionOptions dot_softmax(const std::string& name) {
  AttentionOptions options;
  options.score = ScoreKind::scaled_dot;
  if (const auto scope = enum_value<ScopeKind>(name)) options.scope = *scope;
  if (const auto score = enum_value<ScoreKind>(name)) options.score = *score;
  options.max_distance = 2;
  options.heads = 2;
  return options;
}

}  // namespace attend::nn
