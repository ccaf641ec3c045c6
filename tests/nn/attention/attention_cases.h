#pragma once
// The attentions that the contract suite tests.
#include <string>
#include <vector>

#include "nn/attention/registry.h"

namespace attend::test {

struct AttentionCase {
  std::string name;
  nn::AttentionOptions options;
  /// True if gradients are compared element by element, which is slow, instead of along directions.
  bool thorough = false;
};

void PrintTo(const AttentionCase& attention_case, std::ostream* out);

/// Each block of the registries with the simplest choice on the other axes; each variant of a
/// block; heads and features with every score; and a sample of products of all axes.
[[nodiscard]] std::vector<AttentionCase> attention_cases();

}  // namespace attend::test
