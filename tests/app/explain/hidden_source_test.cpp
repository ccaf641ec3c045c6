#include "app/explain/hidden_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "data/batch.h"
#include "tests/app/explain/replaced_weights.h"
#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"

namespace attend::app {
namespace {

using attend::test::small_model;
using attend::test::small_options;
using model::WiringKind;
using test::Tokens;

/// Words "4 9", "10" and "5".
const ExplainedPair kHiddenPair{{4, 9, 10, 5}, {8, 4, 6}, {{0, 1}, {2}, {3}}};
const Tokens kHiddenDecisions = {3, 7, 9, 5};

/// Probabilities of all tokens, [T + 1, V], for a source without kEos.
torch::Tensor probabilities(const model::Seq2Seq& model, const Tokens& source) {
  const torch::NoGradGuard no_gradients;
  const auto input = data::frame_targets({kHiddenPair.target}).input;
  const auto outputs = model.decode(model.encode(data::frame_sources({source})), input).outputs;
  return model.logits(outputs.squeeze(0)).softmax(1);
}

/// probabilities() with the embeddings of `masked`, which occur nowhere else, set to 0.
torch::Tensor probabilities_without(model::Seq2Seq& model, const Tokens& masked) {
  const torch::NoGradGuard no_gradients;
  torch::Tensor embedding = attend::test::parameter(model, "source_embedding.weight");
  const torch::Tensor before = embedding.clone();
  for (const text::TokenId token : masked) embedding[token].zero_();
  torch::Tensor result = probabilities(model, kHiddenPair.source);
  embedding.copy_(before);
  return result;
}

class HiddenSourceTest : public testing::TestWithParam<WiringKind> {
 protected:
  void expect(const HiddenSource& hidden, const HiddenWords& words, Hiding how,
              const torch::Tensor& expected) {
    for (std::size_t t = 0; t < kHiddenDecisions.size(); ++t) {
      const auto row = static_cast<int64_t>(t);
      const HiddenSource::Prediction found = hidden.prediction(words, how, t);
      EXPECT_NEAR(found.decision, expected[row][kHiddenDecisions[t]].item<double>(), 1e-9);
      EXPECT_NEAR(found.total_variation,
                  (expected[row] - before_[row]).abs().sum().item<double>() / 2, 1e-9);
    }
  }

  std::shared_ptr<model::Seq2Seq> model_ = small_model(small_options(GetParam()));
  torch::Tensor before_ = probabilities(*model_, kHiddenPair.source);
};

TEST_P(HiddenSourceTest, PredictsAsIfTheWordsWereNotThere) {
  HiddenSource hidden(*model_, kHiddenPair, kHiddenDecisions, before_);
  const HiddenWords none = {false, false, false}, first = {true, false, false},
                    others = {false, true, true}, all = {true, true, true};
  for (const HiddenWords& words : {none, first, others, all})
    for (const Hiding how : {Hiding::deleted, Hiding::masked})
      for (std::size_t t = 0; t < kHiddenDecisions.size(); ++t) hidden.request(words, how, t);
  hidden.compute();
  expect(hidden, none, Hiding::deleted, before_);
  expect(hidden, none, Hiding::masked, before_);
  expect(hidden, first, Hiding::deleted, probabilities(*model_, {10, 5}));
  expect(hidden, others, Hiding::deleted, probabilities(*model_, {4, 9}));
  expect(hidden, all, Hiding::deleted, probabilities(*model_, {}));
  expect(hidden, first, Hiding::masked, probabilities_without(*model_, {4, 9}));
  expect(hidden, all, Hiding::masked, probabilities_without(*model_, kHiddenPair.source));
}

TEST_P(HiddenSourceTest, ComputesOnlyWhatWasRequested) {
  HiddenSource hidden(*model_, kHiddenPair, kHiddenDecisions, before_);
  hidden.request({true, false, false}, Hiding::deleted, 1);
  hidden.compute();
  EXPECT_NEAR(hidden.prediction({true, false, false}, Hiding::deleted, 1).decision,
              probabilities(*model_, {10, 5})[1][kHiddenDecisions[1]].item<double>(), 1e-9);
  EXPECT_ANY_THROW((void)hidden.prediction({true, false, false}, Hiding::deleted, 2));
  EXPECT_ANY_THROW((void)hidden.prediction({true, false, false}, Hiding::masked, 1));
}

INSTANTIATE_TEST_SUITE_P(Wirings, HiddenSourceTest,
                         testing::Values(WiringKind::luong, WiringKind::bahdanau,
                                         WiringKind::conditional),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

}  // namespace
}  // namespace attend::app
