#include "train/objective/teacher_forcing.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "data/batching.h"
#include "tests/train/tiny_run.h"

namespace attend::train {
namespace {

data::Batch batch_of_pairs(const std::vector<int64_t>& pairs) {
  return data::make_batch(*test::copy_corpus(17), pairs);
}

TEST(TeacherForcedLoss, CountsNothingOnPadding) {
  const torch::NoGradGuard no_grad;
  const auto model = test::tiny_model();
  model->eval();
  double nll = 0.0;
  double objective = 0.0;
  for (const int64_t pair : {2, 5, 11}) {
    const nn::CrossEntropy loss = teacher_forced_loss(*model, batch_of_pairs({pair}), 0.3);
    nll += loss.nll.item<double>();
    objective += loss.objective.item<double>();
  }
  const nn::CrossEntropy together = teacher_forced_loss(*model, batch_of_pairs({2, 5, 11}), 0.3);
  EXPECT_NEAR(together.nll.item<double>(), nll, 1e-4);
  EXPECT_NEAR(together.objective.item<double>(), objective, 1e-4);
}

TEST(TeacherForcedLoss, SmoothsTheObjectiveButNotTheLikelihood) {
  const torch::NoGradGuard no_grad;
  const auto model = test::tiny_model();
  model->eval();
  const data::Batch batch = batch_of_pairs({2});
  const model::Decoded decoded = model->decode(model->encode(batch.source()), batch.target_input);
  const auto log_probs = torch::log_softmax(model->logits(decoded.outputs[0]), 1);  // [T, V]
  const double nll = -log_probs.gather(1, batch.target_output[0].unsqueeze(1)).sum().item<double>();
  const double uniform = -log_probs.mean(1).sum().item<double>();
  const nn::CrossEntropy loss = teacher_forced_loss(*model, batch, 0.3);
  EXPECT_NEAR(loss.nll.item<double>(), nll, 1e-5);
  EXPECT_NEAR(loss.objective.item<double>(), 0.7 * nll + 0.3 * uniform, 1e-5);
  EXPECT_GT(std::abs(nll - uniform), 1e-3)
      << "if the two parts were equal, the test would prove nothing";
}

}  // namespace
}  // namespace attend::train
