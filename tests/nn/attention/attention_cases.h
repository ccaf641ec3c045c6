#pragma once
// The attentions that the contract suite runs over.
#include <string>
#include <vector>

#include "nn/attention/registry.h"

namespace attend::test {

struct AttentionCase {
  std::string name;
  nn::AttentionOptions options;
  /// Whether gradients are compared element by element, which takes long, or along directions.
  bool thorough = false;
};

void PrintTo(const AttentionCase& attention_case, std::ostream* out);

/// Each block of the registries with the simplest on the other axes; each variant of a block; heads
/// and features with every score; and a sample of products of all axes.
[[nodiscard]] std::vector<AttentionCase> attention_cases();

}  // namespace attend::test
