// R-Drop (Liang et al. 2021) in training: two passes over each batch, computed as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <numeric>

#include "core/random.h"
#include "data/batching.h"
#include "nn/drawing.h"
#include "tests/support/temp_dir.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"
#include "train/update/updater.h"

namespace attend::train {
namespace {

data::Batch first_pairs(int64_t count) {
  std::vector<int64_t> pairs(static_cast<std::size_t>(count));
  std::iota(pairs.begin(), pairs.end(), 0);
  return data::make_batch(*test::copy_corpus(18), pairs);
}

TrainingOptions with_r_drop(double alpha) {
  TrainingOptions options = test::tiny_options();
  options.optimizer = OptimizerKind::sgd;
  options.clip_norm = 0.0;
  options.r_drop = alpha;
  return options;
}

struct OneUpdate {
  OneUpdate(double alpha, bool dropout, decode::KernelKind kernels = decode::KernelKind::fused) {
    TrainingOptions options = with_r_drop(alpha);
    options.kernels = kernels;
    model->train(dropout);
    FlatParameters parameters(*model);
    Updater updater(*model, parameters, options);
    result = updater.update({std::vector{first_pairs(6)}, 1.0, 0, 5});
    values = parameters.values().clone();
  }
  std::shared_ptr<model::Seq2Seq> model = test::tiny_model(0.3);
  UpdateResult result;
  torch::Tensor values;
};

// Without dropout both passes are the same: the mean of two equal losses, and no divergence.
TEST(RDropTraining, WithoutDropoutIsTrainingWithoutIt) {
  const OneUpdate without(0.0, /*dropout=*/false), with(5.0, /*dropout=*/false);
  EXPECT_NEAR(with.result.nll, without.result.nll, 1e-4);
  EXPECT_NEAR(with.result.divergence, 0.0, 1e-5);
  EXPECT_EQ(with.result.target_tokens, without.result.target_tokens);
  EXPECT_NEAR(with.result.gradient_norm, without.result.gradient_norm, 1e-5);
  EXPECT_TRUE(torch::allclose(with.values, without.values, 1e-4, 1e-6));
}

TEST(RDropTraining, ReportsHowFarTheTwoPassesAreApart) {
  const OneUpdate with(5.0, /*dropout=*/true), without(0.0, /*dropout=*/true);
  EXPECT_GT(with.result.divergence, 1e-3);
  EXPECT_EQ(without.result.divergence, 0.0);
}

TEST(RDropTraining, IsTheSameWithFusedKernels) {
  const OneUpdate fused(5.0, /*dropout=*/true),
      plain(5.0, /*dropout=*/true, decode::KernelKind::plain);
  EXPECT_NEAR(fused.result.nll, plain.result.nll, 1e-3);
  EXPECT_NEAR(fused.result.divergence, plain.result.divergence, 1e-4);
  EXPECT_TRUE(torch::allclose(fused.values, plain.values, 1e-3, 1e-5));
}

// The step at rate 1 along the gradient g of the objective per token lowers it by |g|^2 at first
// order; the objective here is written out: mean loss of both passes + alpha / 4 (KL + KL).
TEST(RDropTraining, FollowsTheGradientOfThePublishedObjectivePerToken) {
  constexpr double kAlpha = 3.0, kSmallRate = 1e-3;
  const auto model = test::tiny_model(0.3);
  FlatParameters parameters(*model);
  Updater updater(*model, parameters, with_r_drop(kAlpha));
  const data::Batch batch = first_pairs(6);
  const auto objective = [&] {
    const torch::NoGradGuard no_grad;
    const nn::SeedScope seeds(stream_seed(5, "batch", 0));
    const torch::Tensor once = torch::arange(batch.size());
    const nn::LinesScope lines(nn::LinesScope::repeated(torch::cat({once, once})));
    const data::Batch both = data::twice(batch);
    const model::Decoded decoded = model->decode(model->encode(both.source()), both.target_input);
    const torch::Tensor log_probs = model->logits(decoded.outputs).log_softmax(2);
    const torch::Tensor mask = both.target_input.mask.unsqueeze(2);
    const torch::Tensor right = log_probs.gather(2, both.target_output.unsqueeze(2));
    const torch::Tensor smooth = 0.9 * right + 0.1 * log_probs.mean(2, true);
    const auto passes = log_probs.chunk(2);
    const torch::Tensor apart = passes[0] - passes[1];
    const torch::Tensor divergence =
        (passes[0].exp() * apart - passes[1].exp() * apart).masked_select(mask.chunk(2)[0]).sum();
    return (-0.5 * smooth.masked_select(mask).sum() + kAlpha / 4 * divergence).item<double>() /
           static_cast<double>(batch.target_tokens);
  };
  model->train();
  const double before = objective();
  const UpdateResult result = updater.update({std::vector{batch}, kSmallRate, 0, 5});
  const double expected = kSmallRate * result.gradient_norm * result.gradient_norm;
  EXPECT_NEAR(before - objective(), expected, 0.03 * expected);
}

TEST(RDropTraining, WritesTheDivergenceIntoTheHistory) {
  for (const double alpha : {0.0, 5.0}) {
    const test::TempDir folder;
    test::TinyRun run(folder.path());
    run.options.r_drop = alpha;
    run.options.max_epochs = 1;
    run.trainer().run();
    bool seen = false;
    for (const auto& line : test::history(folder.path()))
      seen |= line.contains("r_drop_divergence");
    EXPECT_EQ(seen, alpha > 0.0);
  }
}

TEST(TwiceABatch, HasEveryPairInBothHalves) {
  const data::Batch batch = first_pairs(4);
  const data::Batch both = data::twice(batch);
  EXPECT_EQ(both.size(), 8);
  EXPECT_EQ(both.target_tokens, 2 * batch.target_tokens);
  for (int64_t row = 0; row < 4; ++row) {
    for (const int64_t copy : {row, row + 4}) {
      EXPECT_TRUE(torch::equal(both.source().ids[copy], batch.source().ids[row]));
      EXPECT_TRUE(torch::equal(both.target_output[copy], batch.target_output[row]));
      EXPECT_TRUE(torch::equal(both.source().lengths[copy], batch.source().lengths[row]));
    }
  }
}

}  // namespace
}  // namespace attend::train
