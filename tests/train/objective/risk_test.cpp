#include "train/objective/risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/convert_parameters.h>
#include <torch/utils.h>

#include <cmath>
#include <numeric>
#include <set>

#include "data/batch.h"
#include "data/batching.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nn/execution.h"
#include "tests/data/toy_corpus.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tensors.h"
#include "tests/train/tiny_run.h"
#include "train/objective/risk_sampler.h"

namespace attend::train {
namespace {

/// Three sentences with 3, 1 and 2 candidates.
RiskCandidates some_candidates() {
  return {{{5, 6}, {7}, {}, {4, 4, 9}, {8}, {8, 5}},
          {0, 0, 0, 1, 2, 2},
          {0.1, 0.8, 1.0, 0.4, 0.0, 0.7}};
}

data::SentenceBatch sources() {
  return data::frame_sources({{4, 5, 6}, {7}, {9, 8}});
}

/// log p of a single candidate, token by token.
torch::Tensor log_prob_alone(const model::Seq2Seq& model, int64_t sentence,
                             const std::vector<text::TokenId>& target) {
  const std::vector<std::vector<text::TokenId>> all = {{4, 5, 6}, {7}, {9, 8}};
  const data::FramedTargets framed = data::frame_targets({target});
  const model::Encoded encoded =
      model.encode(data::frame_sources({all[static_cast<std::size_t>(sentence)]}));
  const torch::Tensor log_probs =
      model.logits(model.decode(encoded, framed.input).outputs[0]).log_softmax(1);
  torch::Tensor sum = torch::zeros({}, torch::kFloat64);
  for (int64_t t = 0; t < framed.output.size(1); ++t)
    sum = sum + log_probs[t][framed.output[0][t].item<int64_t>()];
  return sum;
}

/// Shen et al. (2016), Eq. 10 and 11, written out.
torch::Tensor risk_by_hand(const model::Seq2Seq& model, const RiskCandidates& candidates,
                           double sharpness, double length_penalty) {
  torch::Tensor risk = torch::zeros({}, torch::kFloat64);
  for (int64_t sentence = 0; sentence < 3; ++sentence) {
    torch::Tensor above = torch::zeros({}, torch::kFloat64), below = above;
    for (std::size_t i = 0; i < candidates.targets.size(); ++i) {
      if (candidates.sentences[i] != sentence) continue;
      const double length =
          std::pow(static_cast<double>(candidates.targets[i].size()) + 1.0, length_penalty);
      const torch::Tensor share =
          (sharpness * log_prob_alone(model, sentence, candidates.targets[i]) / length).exp();
      above = above + share * candidates.costs[i];
      below = below + share;
    }
    risk = risk + above / below;
  }
  return risk;
}

std::shared_ptr<model::Seq2Seq> double_model() {
  auto model = test::tiny_model();
  model->to(torch::kFloat64);
  model->eval();
  return model;
}

std::vector<torch::Tensor> gradients_of(const model::Seq2Seq& model, const torch::Tensor& scalar) {
  return torch::autograd::grad({scalar}, test::leaves(model), {}, /*retain_graph=*/false, false,
                               /*allow_unused=*/true);
}

class ExpectedRisk : public testing::TestWithParam<bool> {};

TEST_P(ExpectedRisk, IsThatOfTheFormulaWithItsGradient) {
  for (const double length_penalty : {0.0, 0.7}) {
    const auto model = double_model();
    const RiskCandidates candidates = some_candidates();
    const torch::Tensor expected = risk_by_hand(*model, candidates, 0.6, length_penalty);
    const auto expected_gradients = gradients_of(*model, expected);
    const nn::ExecutionScope scope({.fused = GetParam()});
    const Risk risk = expected_risk(*model, sources(), candidates, {0.6, length_penalty, 2.5});
    EXPECT_NEAR(risk.expected, expected.item<double>(), 1e-9);
    const auto gradients = gradients_of(*model, risk.objective);
    double largest = 0.0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      ASSERT_EQ(gradients[i].defined(), expected_gradients[i].defined()) << i;
      if (!gradients[i].defined()) continue;
      EXPECT_TRUE(torch::allclose(gradients[i], 2.5 * expected_gradients[i], 1e-6, 1e-9)) << i;
      largest = std::max(largest, expected_gradients[i].abs().max().item<double>());
    }
    EXPECT_GT(largest, 1e-4) << "with a gradient of 0 the test would prove nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ExpectedRisk, testing::Bool());

TEST(ExpectedRisk, OfEqualCostsHasNoGradient) {
  const auto model = double_model();
  RiskCandidates candidates = some_candidates();
  std::fill(candidates.costs.begin(), candidates.costs.end(), 0.5);
  const Risk risk = expected_risk(*model, sources(), candidates, {});
  EXPECT_NEAR(risk.expected, 1.5, 1e-12);
  for (const torch::Tensor& gradient : gradients_of(*model, risk.objective)) {
    if (!gradient.defined()) continue;
    EXPECT_LT(gradient.abs().max().item<double>(), 1e-12);
  }
}

/// Expects each candidate to cost 1 - its sentence score by `metric` against the first candidate of
/// its sentence.
void expect_costs(const RiskCandidates& candidates, const text::Tokenizer& pieces,
                  const metrics::Metric& metric) {
  std::string reference;
  for (std::size_t i = 0; i < candidates.targets.size(); ++i) {
    const std::string text = pieces.decode(candidates.targets[i]);
    if (i == 0 || candidates.sentences[i] != candidates.sentences[i - 1]) reference = text;
    const std::string_view one = reference;
    const double score = metric.score(metric.segment_statistics(text, std::span(&one, 1))).value;
    EXPECT_NEAR(candidates.costs[i], 1.0 - score / 100.0, 1e-12) << text;
  }
}

class RiskTraining : public testing::Test {
 protected:
  [[nodiscard]] static data::Batch batch() {
    std::vector<int64_t> pairs(6);
    std::iota(pairs.begin(), pairs.end(), 0);
    return data::make_batch(*test::copy_corpus(18), pairs);
  }
  [[nodiscard]] static MinimumRiskOptions options() {
    MinimumRiskOptions options;
    options.samples = 5;
    return options;
  }

  attend::test::TempDir folder_;
  // Has a piece for each word of the toy corpus, the letters a to j.
  text::Tokenizer words_ = attend::test::word_tokenizer(folder_);
};

TEST_F(RiskTraining, DrawsCandidatesBesideTheReferenceEachOnce) {
  const auto model = test::tiny_model(0.0);
  model->train();
  const RiskSampler sampler(options(), {.tokenize = BleuTokenizer::v13a}, words_);
  const RiskCandidates candidates = sampler.draw(*model, batch(), 4);
  EXPECT_TRUE(model->is_training()) << "as before";
  std::set<std::pair<int64_t, std::vector<text::TokenId>>> seen;
  for (std::size_t i = 0; i < candidates.targets.size(); ++i) {
    EXPECT_TRUE(seen.insert({candidates.sentences[i], candidates.targets[i]}).second);
    EXPECT_GE(candidates.costs[i], 0.0);
    EXPECT_LE(candidates.costs[i], 1.0);
    const bool first = i == 0 || candidates.sentences[i] != candidates.sentences[i - 1];
    if (!first) continue;
    EXPECT_NEAR(candidates.costs[i], 0.0, 1e-12) << "the reference";
  }
  EXPECT_GT(candidates.targets.size(), 12U);
  EXPECT_EQ(sampler.draw(*model, batch(), 4).targets, candidates.targets);
  EXPECT_NE(sampler.draw(*model, batch(), 5).targets, candidates.targets);
}

TEST_F(RiskTraining, CostsOneLessTheSentenceScoreAgainstTheReference) {
  const auto model = test::tiny_model(0.0);
  const std::vector<std::pair<RiskMetric, std::shared_ptr<metrics::Metric>>> all = {
      {RiskMetric::bleu,
       std::make_shared<metrics::Bleu>(metrics::BleuOptions{.effective_order = true})},
      {RiskMetric::chrf, std::make_shared<metrics::Chrf>(metrics::ChrfOptions{})}};
  for (const auto& [cost, metric] : all) {
    MinimumRiskOptions with_cost = options();
    with_cost.cost = cost;
    expect_costs(
        RiskSampler(with_cost, {.tokenize = BleuTokenizer::v13a}, words_).draw(*model, batch(), 4),
        words_, *metric);
  }
}

// Regression: in text without blanks, which is one word to 13a, every candidate but the reference
// cost 1.
TEST_F(RiskTraining, CostsByTheWordsOfValidation) {
  const text::Tokenizer pieces = attend::test::bpe_tokenizer(folder_);
  const auto model = test::tiny_model(0.0);
  std::vector<std::vector<double>> costs;
  for (const auto tokenize : {BleuTokenizer::v13a, BleuTokenizer::character}) {
    const RiskSampler sampler(options(), {.tokenize = tokenize}, pieces);
    const RiskCandidates candidates = sampler.draw(*model, batch(), 4);
    expect_costs(
        candidates, pieces,
        metrics::Bleu({.tokenizer = std::string(enum_name(tokenize)), .effective_order = true}));
    costs.push_back(candidates.costs);
  }
  EXPECT_NE(costs[0], costs[1]);
}

// Training lowers the expected cost of the training sentences.
TEST_F(RiskTraining, LowersTheRisk) {
  test::TinyRun run(folder_.path());
  run.model = test::tiny_model(0.0);
  run.options.mrt = options();
  run.options.mrt.sharpness = 0.5;
  run.options.mrt.nll = 0.0;
  run.options.max_epochs = 40;
  run.options.log_every = 5;
  run.target = &words_;
  run.trainer().run();
  std::vector<double> risks;
  for (const auto& line : test::history(folder_.path())) {
    if (line.at("type") == "train") risks.push_back(line.at("risk").get<double>());
  }
  ASSERT_GT(risks.size(), 10U);
  const auto mean = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(risks.begin() + static_cast<std::ptrdiff_t>(begin),
                           risks.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
           static_cast<double>(end - begin);
  };
  EXPECT_LT(mean(risks.size() - 4, risks.size()), 0.9 * mean(0, 4));
}

// With nll 1 the risk has no weight, so the weights are the same as without it.
TEST_F(RiskTraining, WithAllWeightOnTheLikelihoodIsTrainingWithoutIt) {
  const auto trained = [&](double samples) {
    const attend::test::TempDir folder;
    test::TinyRun run(folder.path());
    run.options.mrt.samples = static_cast<int64_t>(samples);
    run.options.mrt.nll = 1.0;
    run.options.max_epochs = 1;
    run.target = &words_;
    run.trainer().run();
    return torch::nn::utils::parameters_to_vector(run.model->parameters()).detach();
  };
  EXPECT_TRUE(torch::allclose(trained(3), trained(0), 1e-4, 1e-5));
}

}  // namespace
}  // namespace attend::train
