#pragma once
// Models with every setting that has a fused form, and one training step of a model, to compare
// different ways of computing it.
#include <ostream>
#include <string>
#include <vector>

#include "nn/execution.h"
#include "tests/model/small_models.h"

namespace attend::test {

struct Case {
  std::string name;
  model::ModelOptions options;
};
void PrintTo(const Case& model_case, std::ostream* out);

[[nodiscard]] std::vector<Case> all_cases();

/// Results of a training step.
struct Outcome {
  torch::Tensor outputs;
  torch::Tensor weights;
  std::vector<torch::Tensor> gradients;
};

/// Gradients of the loss and, if there is attention, of its weights.
[[nodiscard]] Outcome train_on(model::Seq2Seq& model, const nn::Execution& execution,
                               const Pairs& pairs = three_pairs());

/// 21 pairs, enough that steps are not split into single rows.
[[nodiscard]] Pairs many_pairs();

}  // namespace attend::test
