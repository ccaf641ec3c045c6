#pragma once
// The attentions that the contract suite tests.
#include <string>
#include <vector>

#include "nn/attention/registry.h"

namespace attend::test {

struct AttentionCase {
  std::string name;
  nn::AttentionOptions options;
  /// True: compare gradients element by element, which is slow. False: compare them along
  /// directions.
  bool thorough = false;
};

void PrintTo(const AttentionCase& attention_case, std::ostream* out);

/// Each block of the registries with the simplest choice for the other parts; each variant of a
/// block; several heads, and weights per feature, with every score; and a sample of all
/// combinations.
[[nodiscard]] std::vector<AttentionCase> attention_cases();

}  // namespace attend::test
