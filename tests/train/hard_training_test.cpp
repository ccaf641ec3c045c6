// Updates of a model with hard attention.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <variant>

#include "data/batching.h"
#include "tests/support/tensors.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"
#include "train/update/updater.h"

namespace attend::train {
namespace {

constexpr const char* kScoreVector = "decoder.attention.score.vector";

/// The objects of one update.
struct HardRun {
  explicit HardRun(nn::AttentionOptions attention = {}) {
    model::ModelOptions options;
    options.embedding = 6;
    std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 5;
    std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 7;
    options.attention = attention;
    options.attention.distribution = nn::DistributionKind::hard;
    model = std::make_shared<model::Seq2Seq>(options, test::kTinyVocabulary, test::kTinyVocabulary);
    model::initialize(*model, 1);
    model->train();
    parameters = std::make_unique<FlatParameters>(*model);
  }

  data::Batch batch = data::make_batch(*test::copy_corpus(6), std::vector<int64_t>{0, 1, 2, 3});
  std::shared_ptr<model::Seq2Seq> model;
  std::unique_ptr<FlatParameters> parameters;
};

TEST(HardTraining, MovesTheBaselineToTheLikelihoodOfTheWords) {
  HardRun run;
  Updater updater(*run.model, *run.parameters, test::tiny_options());
  const UpdateResult result = updater.update({std::span(&run.batch, 1), 0.01, 0, 5});
  const double reward = -result.nll / static_cast<double>(result.target_tokens);
  EXPECT_NEAR(updater.reward_baseline().value(),
              0.9 * -std::log(static_cast<double>(test::kTinyVocabulary)) + 0.1 * reward, 1e-9);
}

TEST(HardTraining, TeachesTheScoreByItsDrawsAlone) {
  const auto gradient = [](double reward_weight, double entropy_bonus) {
    nn::AttentionOptions attention;
    attention.reward_weight = reward_weight;
    attention.entropy_bonus = entropy_bonus;
    const HardRun run(attention);
    torch::manual_seed(3);
    const GuidedLoss loss = guided_loss(*run.model, run.batch, 0.0, {}, -1.0);
    (loss.words.objective + loss.draws).backward();
    return test::parameter(*run.model, kScoreVector).grad().abs().max().item<double>();
  };
  EXPECT_EQ(gradient(0.0, 0.0), 0.0);
  EXPECT_GT(gradient(1.0, 0.0), 0.0);
  EXPECT_GT(gradient(0.0, 1.0), 0.0);
}

TEST(HardTraining, NeedsNoRewardWithGumbel) {
  nn::AttentionOptions attention;
  attention.estimator = nn::Estimator::gumbel;
  const HardRun run(attention);
  const GuidedLoss loss = guided_loss(*run.model, run.batch, 0.0, {});
  EXPECT_FALSE(loss.draws.defined());
  loss.words.objective.backward();
  EXPECT_GT(test::parameter(*run.model, kScoreVector).grad().abs().max().item<double>(), 0.0);
}

}  // namespace
}  // namespace attend::train
