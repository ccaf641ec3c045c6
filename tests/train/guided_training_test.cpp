#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <csignal>
#include <numeric>
#include <variant>

#include "core/error.h"
#include "core/signal.h"
#include "data/batching.h"
#include "tests/support/gradcheck.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tensors.h"
#include "tests/train/tiny_run.h"
#include "train/objective/alignment_loss.h"
#include "train/objective/teacher_forcing.h"

namespace attend::train {
namespace {

using test::history;
using test::same_weights;
using test::TempDir;
using test::TinyRun;
using test::without_timing;

/// copy_corpus() with links: token t of the target to token t of the source; every second link is
/// left out if `sparse`.
std::shared_ptr<const data::ParallelCorpus> linked_corpus(int64_t pairs, bool sparse = false) {
  const auto plain = test::copy_corpus(pairs);
  auto corpus = std::make_shared<data::ParallelCorpus>(test::kTinyVocabulary);
  data::AttentionGoals goals(100);
  for (int64_t i = 0; i < pairs; ++i) {
    data::PieceWords words(static_cast<std::size_t>(plain->source_length(i)));
    std::iota(words.begin(), words.end(), 0U);
    align::Links links;
    for (int64_t w = 0; w < plain->source_length(i); w += sparse ? 2 : 1) links.insert({w, w});
    goals.add(links, words, words);
    corpus->add(plain->source(i), plain->target(i), plain->line(i));
  }
  corpus->set_goals(std::move(goals));
  return corpus;
}

data::Batch batch_of(const data::ParallelCorpus& corpus) {
  std::vector<int64_t> pairs(static_cast<std::size_t>(corpus.size()));
  std::iota(pairs.begin(), pairs.end(), 0);
  return data::make_batch(corpus, pairs);
}

std::shared_ptr<model::Seq2Seq> model_with(model::WiringKind wiring) {
  model::ModelOptions options;
  options.embedding = 3;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  decoder.hidden = 5;
  options.attention.size = 7;
  decoder.wiring = wiring;
  auto made =
      std::make_shared<model::Seq2Seq>(options, test::kTinyVocabulary, test::kTinyVocabulary);
  test::randomize(*made, 2);
  made->eval();
  return made;
}

GuidedAlignmentOptions with_loss(AlignmentLoss kind, int64_t shift = 0) {
  GuidedAlignmentOptions options;
  options.loss = kind;
  options.shift = shift;
  return options;
}

TEST(GuidedLoss, GradientsMatchCentralDifferencesForEveryWiring) {
  const data::Batch batch = batch_of(*linked_corpus(3, /*sparse=*/true));
  for (const auto wiring : enum_values<model::WiringKind>()) {
    if (!model::wiring_attends(wiring)) continue;
    const auto model = model_with(wiring);
    const auto leaves = test::leaves(*model);
    for (const auto kind : enum_values<AlignmentLoss>()) {
      const auto objective = [&] {
        const GuidedLoss loss = guided_loss(*model, batch, 0.1, with_loss(kind));
        return loss.words.objective + 0.7 * loss.alignment;
      };
      EXPECT_LT(test::max_directional_error(objective, leaves), 1e-5)
          << enum_name(wiring) << ", " << enum_name(kind);
    }
  }
}

TEST(GuidedLoss, LeavesTheLossOfTheWordsAsItIs) {
  const torch::NoGradGuard no_grad;
  const auto model = model_with(model::WiringKind::luong);
  const data::Batch batch = batch_of(*linked_corpus(5));
  const nn::CrossEntropy words = teacher_forced_loss(*model, batch, 0.1);
  const GuidedLoss guided =
      guided_loss(*model, batch, 0.1, with_loss(AlignmentLoss::cross_entropy));
  EXPECT_EQ(guided.words.nll.item<double>(), words.nll.item<double>());
  EXPECT_EQ(guided.words.objective.item<double>(), words.objective.item<double>());
}

TEST(GuidedLoss, IsTheSumOverPairsWhateverThePadding) {
  const torch::NoGradGuard no_grad;
  const auto model = model_with(model::WiringKind::luong);
  const auto corpus = linked_corpus(5);
  double sum = 0.0;
  for (int64_t i = 0; i < corpus->size(); ++i) {
    const data::Batch alone = data::make_batch(*corpus, std::vector{i});
    sum += guided_loss(*model, alone, 0.0, with_loss(AlignmentLoss::squared_error))
               .alignment.item<double>();
  }
  const GuidedLoss together =
      guided_loss(*model, batch_of(*corpus), 0.0, with_loss(AlignmentLoss::squared_error));
  EXPECT_NEAR(together.alignment.item<double>(), sum, 1e-10);
}

// Token t uses row t + 1, so row 0 is free and the end symbol's goals are dropped.
TEST(GuidedLoss, ShiftGuidesTheStepThatHasReadTheToken) {
  const torch::NoGradGuard no_grad;
  const auto model = model_with(model::WiringKind::luong);
  const data::Batch batch = batch_of(*linked_corpus(4));
  const torch::Tensor weights =
      model->decode(model->encode(batch.source()), batch.target_input).weights;
  double expected = 0.0;
  for (int64_t b = 0; b < weights.size(0); ++b) {
    for (int64_t t = 0; t + 1 < weights.size(1); ++t) {
      for (int64_t s = 0; s < weights.size(2); ++s) {
        const double goal = batch.goals[b][t][s].item<double>();
        if (goal > 0) expected -= goal * std::log(weights[b][t + 1][s].item<double>());
      }
    }
  }
  ASSERT_GT(expected, 0.0);
  const GuidedLoss loss =
      guided_loss(*model, batch, 0.0, with_loss(AlignmentLoss::cross_entropy, 1));
  EXPECT_NEAR(loss.alignment.item<double>(), expected, 1e-9);
}

TEST(GuidedLoss, IsOfTheHeadThatIsNamed) {
  model::ModelOptions options;
  options.embedding = 6;
  options.encoder.emplace<model::TransformerEncoderOptions>().heads = 2;
  auto& decoder = options.decoder.emplace<model::TransformerDecoderOptions>();
  decoder.heads = 2;
  decoder.layers = 2;
  decoder.alignment_layer = 1;
  options.attention.score = nn::ScoreKind::scaled_dot;
  options.attention.heads = 3;
  model::Seq2Seq model(options, test::kTinyVocabulary, test::kTinyVocabulary);
  test::randomize(model, 2);
  model.eval();
  const data::Batch batch = batch_of(*linked_corpus(4));
  const model::TracedPair traced = model.trace(batch.source(), batch.target_input);
  GuidedAlignmentOptions guided = with_loss(AlignmentLoss::cross_entropy);
  for (guided.head = 1; guided.head <= 3; ++guided.head) {
    const auto loss = [&] { return guided_loss(model, batch, 0.0, guided).alignment; };
    const torch::Tensor head = traced.decoding.cross[0].select(1, guided.head - 1);
    EXPECT_NEAR(loss().item<double>(),
                alignment_loss(AlignmentLoss::cross_entropy, head, batch.goals).item<double>(),
                1e-9);
    EXPECT_LT(test::max_directional_error(loss, test::leaves(model)), 1e-5);
  }
}

TEST(GuidedLoss, IsUndefinedWithoutGoalsAndABugWithoutAttention) {
  const torch::NoGradGuard no_grad;
  const data::Batch plain = batch_of(*test::copy_corpus(3));
  EXPECT_FALSE(
      guided_loss(*model_with(model::WiringKind::luong), plain, 0.0, {}).alignment.defined());
  const data::Batch guided = batch_of(*linked_corpus(3));
  EXPECT_THROW((void)guided_loss(*model_with(model::WiringKind::none), guided, 0.0, {}),
               std::logic_error);
}

// In float the whole-sequence kernels may run, in double they do not.
class GuidedUpdater : public testing::TestWithParam<torch::ScalarType> {};

// The derivative of the objective along the gradient is the squared norm.
TEST_P(GuidedUpdater, FollowsTheGradientOfBothLossesPerTargetToken) {
  constexpr double kRate = 1e-4, kWeight = 0.7;
  TrainingOptions options = test::tiny_options();
  options.optimizer = OptimizerKind::sgd;
  options.clip_norm = 0.0;
  options.label_smoothing = 0.0;
  const auto model = model_with(model::WiringKind::luong);
  model->to(GetParam());
  const FlatParameters parameters(*model);
  Updater updater(*model, parameters, options);
  const auto corpus = linked_corpus(7);
  const data::Batch first = data::make_batch(*corpus, std::vector<int64_t>{0, 1, 2});
  const data::Batch second = data::make_batch(*corpus, std::vector<int64_t>{3, 4, 5, 6});
  double nll = 0.0, alignment = 0.0, tokens = 0.0;
  const auto objective = [&] {
    const torch::NoGradGuard no_grad;
    nll = alignment = tokens = 0.0;
    for (const data::Batch* batch : {&first, &second}) {
      const GuidedLoss loss =
          guided_loss(*model, *batch, 0.0, with_loss(AlignmentLoss::cross_entropy));
      nll += loss.words.nll.item<double>();
      alignment += loss.alignment.item<double>();
      tokens += static_cast<double>(batch->target_tokens);
    }
    return (nll + kWeight * alignment) / tokens;
  };
  const double before = objective();
  const double expected_nll = nll, expected_alignment = alignment;
  const std::vector<data::Batch> batches = {first, second};
  const UpdateResult result = updater.update({.batches = batches,
                                              .learning_rate = kRate,
                                              .applied = 0,
                                              .dropout_seed = 5,
                                              .alignment_weight = kWeight});
  EXPECT_NEAR(result.nll, expected_nll, 1e-4);
  EXPECT_NEAR(result.alignment, expected_alignment, 1e-4);
  const double step = kRate * result.gradient_norm * result.gradient_norm;
  EXPECT_NEAR(before - objective(), step, 0.03 * step);
}

INSTANTIATE_TEST_SUITE_P(Types, GuidedUpdater, testing::Values(torch::kFloat, torch::kDouble),
                         [](const auto& test) { return std::string(c10::toString(test.param)); });

/// A run with goals in `folder`.
struct GuidedRun : TinyRun {
  explicit GuidedRun(const std::filesystem::path& run_folder) : TinyRun(run_folder) {
    corpus = linked_corpus(17);
    options.guided_alignment.links = {"links"};  // not read here
    options.guided_alignment.weight = 0.5;
  }
};

TEST(GuidedTraining, LogsItsLossApartFromThePerplexity) {
  const TempDir guided, plain;
  GuidedRun run(guided.path());
  run.options.guided_alignment.weight = 0.0;
  run.trainer().run();
  TinyRun other(plain.path());
  other.trainer().run();
  const auto lines = history(guided.path()), expected = history(plain.path());
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_GT(lines[i].at("alignment_loss").get<double>(), 0.0);
    EXPECT_FALSE(expected[i].contains("alignment_loss"));
    EXPECT_EQ(lines[i].at("loss"), expected[i].at("loss"));
    EXPECT_EQ(lines[i].at("perplexity"), expected[i].at("perplexity"));
  }
}

TEST(GuidedTraining, TheWeightDecaysFromEpochToEpoch) {
  const auto weights_after = [](const TempDir& folder, double decay, int64_t epochs) {
    GuidedRun run(folder.path());
    run.options.guided_alignment.decay = decay;
    run.options.max_epochs = epochs;
    run.trainer().run();
    return folder / "last.safetensors";
  };
  const TempDir a, b, c, d;
  EXPECT_TRUE(same_weights(weights_after(a, 0.5, 1), weights_after(b, 1.0, 1)));
  EXPECT_FALSE(same_weights(weights_after(c, 0.5, 2), weights_after(d, 1.0, 2)));
}

TEST(GuidedTraining, ResumedEqualsNeverHavingStopped) {
  install_signal_handlers();
  const auto run_to = [](const TempDir& folder, int64_t stop, bool resume) {
    GuidedRun run(folder.path());
    run.options.guided_alignment.decay = 0.5;
    run.recorder.after_update = [stop](int64_t update) {
      if (update == stop) std::raise(SIGTERM);
    };
    Trainer trainer = run.trainer();
    if (resume) trainer.resume();
    if (stop == 0) return (void)trainer.run();
    EXPECT_THROW(trainer.run(), Stopped);
    clear_requested_stop();
  };
  const TempDir whole, parts;
  run_to(whole, 0, false);
  run_to(parts, 4, false);  // inside a log interval
  run_to(parts, 11, true);
  run_to(parts, 0, true);
  EXPECT_TRUE(same_weights(whole / "last.safetensors", parts / "last.safetensors"));
  EXPECT_EQ(without_timing(history(parts.path())), without_timing(history(whole.path())));
}

/// The share of target tokens whose largest weight is on the linked source token, after training.
double accuracy_after_training(AlignmentLoss loss, double weight) {
  const TempDir folder;
  GuidedRun run(folder.path());
  run.model = test::tiny_model(/*dropout=*/0.0);
  run.options.guided_alignment.loss = loss;
  run.options.guided_alignment.weight = weight;
  run.options.max_epochs = 25;
  run.options.schedule = ScheduleKind::constant;
  run.options.learning_rate = 0.03;
  run.trainer().run();
  const torch::NoGradGuard no_grad;
  run.model->eval();
  const data::Batch batch = batch_of(*run.corpus);
  const torch::Tensor weights =
      run.model->decode(run.model->encode(batch.source()), batch.target_input).weights;
  const torch::Tensor has_goal = batch.goals.sum(2) > 0;
  const torch::Tensor right = (weights.argmax(2) == batch.goals.argmax(2)) & has_goal;
  return right.sum().item<double>() / has_goal.sum().item<double>();
}

TEST(GuidedTraining, MakesAttentionFollowTheLinks) {
  EXPECT_LT(accuracy_after_training(AlignmentLoss::cross_entropy, 0.0), 0.6);
  EXPECT_GT(accuracy_after_training(AlignmentLoss::cross_entropy, 1.0), 0.9);
  EXPECT_GT(accuracy_after_training(AlignmentLoss::squared_error, 5.0), 0.9);
}

}  // namespace
}  // namespace attend::train
