#include "train/update/updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "data/batching.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"

namespace attend::train {
namespace {

/// The batch of pairs first .. last-1 of 18.
data::Batch batch_of(int64_t first, int64_t last) {
  std::vector<int64_t> pairs(static_cast<std::size_t>(last - first));
  std::iota(pairs.begin(), pairs.end(), first);
  return data::make_batch(*test::copy_corpus(18), pairs);
}

/// A model without dropout and with plain gradient steps, which show the gradient.
struct PlainRun {
  explicit PlainRun(const TrainingOptions& options = plain_sgd())
      : parameters(*model), updater(*model, parameters, options) {
    model->eval();
  }
  static TrainingOptions plain_sgd() {
    TrainingOptions options = test::tiny_options();
    options.optimizer = OptimizerKind::sgd;
    options.clip_norm = 0.0;
    return options;
  }
  UpdateResult update(const std::vector<data::Batch>& batches, double rate = 1.0) {
    return updater.update({batches, rate, 0, 5});
  }

  std::shared_ptr<model::Seq2Seq> model = test::tiny_model();
  FlatParameters parameters;
  Updater updater;
};

TEST(Updater, SumsOverBatchesAsOverOneLargeBatch) {
  PlainRun one;
  PlainRun two;
  const UpdateResult whole = one.update({batch_of(0, 10)});
  const UpdateResult parts = two.update({batch_of(0, 3), batch_of(3, 10)});
  EXPECT_NEAR(parts.nll, whole.nll, 1e-4);
  EXPECT_EQ(parts.target_tokens, whole.target_tokens);
  EXPECT_NEAR(parts.gradient_norm, whole.gradient_norm, 1e-5);
  EXPECT_TRUE(torch::allclose(one.parameters.values(), two.parameters.values(), 1e-4, 1e-6));
}

// The derivative of the objective per token along the gradient is the squared norm.
TEST(Updater, FollowsTheGradientOfTheLossPerTargetToken) {
  constexpr double kSmallStep = 1e-3;
  PlainRun setup;
  const data::Batch batch = batch_of(0, 6);
  const auto objective = [&] {
    const torch::NoGradGuard no_grad;
    return teacher_forced_loss(*setup.model, batch, 0.1).objective.item<double>() /
           static_cast<double>(batch.target_tokens);
  };
  const double before = objective();
  const UpdateResult result = setup.update({batch}, kSmallStep);
  const double expected = kSmallStep * result.gradient_norm * result.gradient_norm;
  EXPECT_NEAR(before - objective(), expected, 0.02 * expected);
}

TEST(Updater, ClipsTheStepToTheNorm) {
  TrainingOptions options = PlainRun::plain_sgd();
  options.clip_norm = 0.01;
  PlainRun setup(options);
  const torch::Tensor before = setup.parameters.values().clone();
  const UpdateResult result = setup.update({batch_of(0, 6)});
  EXPECT_GT(result.gradient_norm, 0.02) << "the norm is reported as it was before clipping";
  EXPECT_NEAR((setup.parameters.values() - before).norm().item<double>(), 0.01, 1e-5);
}

TEST(Updater, LeavesOutAnUpdateThatIsNotFinite) {
  PlainRun setup;
  const torch::Tensor bias = setup.model->named_parameters()["output.bias"];
  bias.detach()[0] = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor before = setup.parameters.values().clone();
  const UpdateResult result = setup.update({batch_of(0, 18)});
  EXPECT_FALSE(result.applied);
  EXPECT_TRUE(setup.parameters.values().nan_to_num(7.0).equal(before.nan_to_num(7.0)));
  EXPECT_EQ(before.isnan().sum().item<int64_t>(), 1);
  EXPECT_EQ(setup.parameters.gradients().abs().sum().item<double>(), 0.0);
}

TEST(Updater, DrawsItsDropoutFromTheSeed) {
  const auto loss = [](uint64_t seed) {
    PlainRun setup;
    setup.model->train();
    return setup.updater.update({std::vector{batch_of(0, 6)}, 0.1, 0, seed}).nll;
  };
  EXPECT_EQ(loss(5), loss(5));
  EXPECT_NE(loss(5), loss(6));
}

TEST(Updater, ChangesTheWeightsAlikeWithLayersThatAreComputedAgain) {
  const auto trained = [](bool recompute) {
    TrainingOptions options = test::tiny_options();
    options.recompute_layers = recompute;
    const auto model = test::tiny_transformer();
    model->train();
    const FlatParameters parameters(*model);
    Updater updater(*model, parameters, options);
    for (int64_t i = 0; i < 3; ++i)
      static_cast<void>(updater.update({std::vector{batch_of(0, 6), batch_of(6, 12)}, 0.1, i, 5}));
    return parameters.values().clone();
  };
  EXPECT_TRUE(torch::equal(trained(true), trained(false)));
}

}  // namespace
}  // namespace attend::train
