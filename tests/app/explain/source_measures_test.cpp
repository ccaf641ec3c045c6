// Compares the measures that hide source words with a second implementation, which computes one
// prediction at a time.
#include "app/explain/source_measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "data/batch.h"
#include "metrics/faithfulness/rankings.h"
#include "tests/app/explain/replaced_weights.h"
#include "tests/decode/small_pairs.h"

namespace attend::app {
namespace {

using attend::test::small_model;
using attend::test::small_options;
using test::Tokens;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// Five words, the first of two pieces.
const ExplainedPair kErasedPair{{4, 9, 10, 5, 7, 8}, {8, 4}, {{0, 1}, {2}, {3}, {4}, {5}}};
const Tokens kErasedDecisions = {3, 7, 9};
constexpr std::size_t kErasedPosition = 1;

TEST(WordImportance, SumsThePiecesOfAWordByHand) {
  const std::vector<double> pieces = {0.1, 0.2, 0.3, 0.25, 0.15};  // the last one is the end symbol
  EXPECT_THAT(word_importance(pieces, {{0, 1}, {2}, {3}}),
              ElementsAre(DoubleNear(0.3, 1e-15), 0.3, 0.25));
}

/// The probabilities of all tokens at kErasedPosition without the pieces of `hidden`.
torch::Tensor predicted(const model::Seq2Seq& model, const std::vector<std::size_t>& hidden) {
  const torch::NoGradGuard no_gradients;
  Tokens source;
  for (std::size_t w = 0; w < kErasedPair.words.size(); ++w) {
    if (std::find(hidden.begin(), hidden.end(), w) != hidden.end()) continue;
    for (const std::size_t piece : kErasedPair.words[w])
      source.push_back(kErasedPair.source[piece]);
  }
  const auto input = data::frame_targets({kErasedPair.target}).input;
  const auto outputs = model.decode(model.encode(data::frame_sources({source})), input).outputs;
  return model.logits(outputs[0][kErasedPosition]).softmax(0);
}

class SourceMeasuresTest : public testing::Test {
 protected:
  SourceMeasuresTest() {
    const torch::NoGradGuard no_gradients;
    const auto input = data::frame_targets({kErasedPair.target}).input;
    const auto source = data::frame_sources({kErasedPair.source});
    before_ = model_->logits(model_->decode(model_->encode(source), input).outputs[0]).softmax(1);
    HiddenSource hidden(*model_, kErasedPair, kErasedDecisions, before_);
    SourceMeasures measures(hidden, {3, 1, 4, 0, 2});
    measures.request(kErasedPosition, importances_.attention);
    hidden.compute();
    measures.add(kErasedPosition, importances_, decided({}), values_);
  }

  [[nodiscard]] double decided(const std::vector<std::size_t>& hidden) const {
    return predicted(*model_, hidden)[kErasedDecisions[kErasedPosition]].item<double>();
  }

  // By attention: 2, 0, 4, 1, 3.
  const WordImportances importances_{{0.2, 0.1, 0.4, 0.05, 0.15},
                                     {0.3, 0.1, 0.2, 0.15, 0.25},
                                     {0.2, 0.1, 0.5, 0.05, 0.15},
                                     {},
                                     {0.4, 0.1, 0.2, 0.05, 0.15}};
  std::shared_ptr<model::Seq2Seq> model_ = small_model(small_options(model::WiringKind::bahdanau));
  torch::Tensor before_;
  MeasureValues values_;
};

// 1, 5, 10 and 20 % of five words are one word, 50 % are three.
TEST_F(SourceMeasuresTest, AverageTheLossOverSharesOfTheWords) {
  EXPECT_NEAR(values_[Measure::comprehensiveness_deleted],
              decided({}) - (4 * decided({2}) + decided({2, 0, 4})) / 5, 1e-9);
  EXPECT_NEAR(values_[Measure::sufficiency_deleted],
              decided({}) - (4 * decided({0, 1, 3, 4}) + decided({1, 3})) / 5, 1e-9);
  EXPECT_NEAR(values_[Measure::random_comprehensiveness_deleted],
              decided({}) - (4 * decided({3}) + decided({3, 1, 4})) / 5, 1e-9);
  EXPECT_NEAR(values_[Measure::random_sufficiency_deleted],
              decided({}) - (4 * decided({0, 1, 2, 4}) + decided({0, 2})) / 5, 1e-9);
  EXPECT_NE(values_[Measure::comprehensiveness_masked],
            values_[Measure::comprehensiveness_deleted]);
}

TEST_F(SourceMeasuresTest, CompareAttentionWithLeaveOneOut) {
  std::vector<double> left_out;
  for (std::size_t w = 0; w < 5; ++w)
    left_out.push_back(
        (predicted(*model_, {w}) - before_[kErasedPosition]).abs().sum().item<double>() / 2);
  EXPECT_NEAR(values_[Measure::tau_leave_one_out],
              *metrics::kendall_tau(importances_.attention, left_out), 1e-12);
  EXPECT_EQ(values_[Measure::overlap_leave_one_out],
            metrics::ranked(left_out).front() == 2 ? 1.0 : 0.0);
}

// (0.2 0.1 0.4 0.05 0.15) and (0.3 0.1 0.2 0.15 0.25) differ in the order of three of ten pairs:
// words 0 and 2, 2 and 4, 1 and 3. The top word of one is 2, of the other 0.
TEST_F(SourceMeasuresTest, CompareAttentionWithSaliencyAndPosteriorByHand) {
  EXPECT_NEAR(values_[Measure::tau_saliency], 0.4, 1e-12);
  EXPECT_EQ(values_[Measure::overlap_saliency], 0.0);
  EXPECT_EQ(values_[Measure::tau_posterior], 1.0) << "the same order";
  EXPECT_EQ(values_[Measure::overlap_posterior], 1.0);
  EXPECT_TRUE(std::isnan(values_[Measure::tau_contributions])) << "there are none";
  EXPECT_NEAR(values_[Measure::tau_alti], 0.8, 1e-12) << "words 0 and 2 are exchanged";
  EXPECT_EQ(values_[Measure::overlap_alti], 0.0);
}

}  // namespace
}  // namespace attend::app
