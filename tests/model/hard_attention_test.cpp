// Choices of `hard` attention as returned by a decoder under teacher forcing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::Estimator;

std::shared_ptr<Seq2Seq> hard_model(WiringKind wiring, Estimator estimator) {
  ModelOptions options = test::small_options(wiring, CellKind::gru);
  test::recurrent_decoder(options).input_feeding = false;
  options.attention.distribution = DistributionKind::hard;
  options.attention.estimator = estimator;
  options.attention.heads = 2;
  auto model = test::small_model(options);
  model->train();
  return model;
}

class HardAttention : public testing::TestWithParam<WiringKind> {
 protected:
  Decoded decode(const Seq2Seq& model) const {
    torch::manual_seed(3);
    return model.decode(model.encode(pairs_.source), pairs_.target_input);
  }
  test::Pairs pairs_ = test::three_pairs();
};

TEST_P(HardAttention, TellsOfItsDrawsInTraining) {
  const Decoded decoded = decode(*hard_model(GetParam(), Estimator::reinforce));
  EXPECT_EQ(decoded.drawn.log_prob.sizes(), (torch::IntArrayRef{3, 4}));
  EXPECT_EQ(decoded.drawn.entropy.sizes(), (torch::IntArrayRef{3, 4}));
  // The last source has one piece, so there is no choice.
  EXPECT_THAT(decoded.drawn.log_prob[2], test::TensorNear(torch::zeros({4}), 1e-12));
  EXPECT_LT(decoded.drawn.log_prob[0].max().item<double>(), 0.0);
  EXPECT_THAT(decoded.heads.amax(3), test::TensorEq(torch::ones({3, 2, 4})));
}

TEST_P(HardAttention, LearnsWhereToLookFromItsDraws) {
  const auto model = hard_model(GetParam(), Estimator::reinforce);
  const Decoded decoded = decode(*model);
  (decoded.drawn.log_prob.sum() + decoded.drawn.entropy.sum()).backward();
  const auto gradient = test::parameter(*model, "decoder.attention.score.vector").grad();
  ASSERT_TRUE(gradient.defined());
  EXPECT_GT(gradient.abs().max().item<double>(), 0.0);
}

TEST_P(HardAttention, HasNothingToTellOtherwise) {
  const auto model = hard_model(GetParam(), Estimator::reinforce);
  EXPECT_FALSE(decode(*hard_model(GetParam(), Estimator::gumbel)).drawn.log_prob.defined());
  model->eval();
  EXPECT_FALSE(decode(*model).drawn.log_prob.defined());
}

INSTANTIATE_TEST_SUITE_P(Wirings, HardAttention,
                         testing::Values(WiringKind::bahdanau, WiringKind::conditional,
                                         WiringKind::luong),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

}  // namespace
}  // namespace attend::model
