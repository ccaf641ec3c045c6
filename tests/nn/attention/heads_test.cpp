#include "nn/attention/heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "core/error.h"
#include "nn/attention/attention.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorNear;
using testing::AllOf;
using testing::HasSubstr;

/// Two heads of one feature each over q = (log 2, 1), k_1 = (1 0), k_2 = (0 0), v_1 = (3 10), v_2 =
/// (6 20). Every projection is the identity except the output's, which is `output`.
Attended example(const torch::Tensor& output,
                 DistributionKind distribution = DistributionKind::softmax,
                 const torch::Tensor& forced_weights = {}) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.distribution = distribution;
  options.heads = 2;
  Attention attention(options, 2, 2);
  attention.to(torch::kFloat64);
  for (const char* name : {"query", "key", "value"}) {
    test::set_parameter(attention, std::string("heads.") + name + ".weight",
                        torch::eye(2, torch::kFloat64));
  }
  test::set_parameter(attention, "heads.output.weight", output);
  const auto lengths = torch::full({1}, 2, torch::kInt64);
  PreparedMemory memory =
      attention.prepare({f64({1, 0, 0, 0}, {1, 2, 2}), f64({3, 10, 6, 20}, {1, 2, 2}),
                         test::mask_of(lengths, 2), lengths});
  memory.forced_weights = forced_weights;
  return attention.attend(f64({std::log(2.0), 1}, {1, 1, 2}), memory, {}, 0, 0.0);
}

// Head 1: energies (log 2, 0), weights (2/3, 1/3), context 3 * 2/3 + 6 * 1/3 = 4.
// Head 2: energies (0, 0), weights (1/2, 1/2), context 15.
TEST(Heads, EqualVaswaniSection322ByHand) {
  const Attended attended = example(torch::eye(2, torch::kFloat64));
  EXPECT_THAT(attended.heads, TensorNear(f64({2.0 / 3, 1.0 / 3, 0.5, 0.5}, {1, 2, 1, 2}), 1e-12));
  EXPECT_THAT(attended.weights, TensorNear(f64({7.0 / 12, 5.0 / 12}, {1, 1, 2}), 1e-12));
  EXPECT_THAT(attended.context, TensorNear(f64({4, 15}, {1, 1, 2}), 1e-12));
}

// Head 1: context 3. Head 2: context 10 / 4 + 20 * 3 / 4 = 17.5.
TEST(Heads, MixByForcedWeightsByHand) {
  const torch::Tensor weights = f64({1, 0, 0.25, 0.75}, {1, 2, 2});
  const Attended attended =
      example(torch::eye(2, torch::kFloat64), DistributionKind::softmax, weights);
  EXPECT_THAT(attended.context, TensorNear(f64({3, 17.5}, {1, 1, 2}), 1e-12));
  EXPECT_THAT(attended.heads, TensorNear(weights.unsqueeze(2), 0));
  EXPECT_THAT(attended.weights, TensorNear(f64({0.625, 0.375}, {1, 1, 2}), 1e-12));
}

// W^O maps (a, b) to (a + b, b). Head 1 adds (3 0) and (6 0) at weight 1, head 2 (10 10) and
// (20 20), so that together the positions add (2 0) + (5 5) and (2 0) + (10 10).
TEST(Heads, ContributeTheNormsOfWhatTheyAddByHand) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.heads = 2;
  Attention attention(options, 2, 2);
  attention.to(torch::kFloat64);
  for (const char* name : {"query", "key", "value"})
    test::set_parameter(attention, std::string("heads.") + name + ".weight",
                        torch::eye(2, torch::kFloat64));
  test::set_parameter(attention, "heads.output.weight", f64({1, 1, 0, 1}, {2, 2}));
  const auto lengths = torch::full({1}, 2, torch::kInt64);
  const torch::Tensor values = f64({3, 10, 6, 20}, {1, 2, 2});
  const PreparedMemory memory =
      attention.prepare({values, values, test::mask_of(lengths, 2), lengths});
  const torch::Tensor weights = f64({2.0 / 3, 1.0 / 3, 0.5, 0.5}, {1, 2, 1, 2});
  EXPECT_THAT(
      attention.contributions(weights, memory),
      TensorNear(f64({std::sqrt(74.0), std::sqrt(244.0), 2, 2, std::sqrt(50.0), std::sqrt(200.0)},
                     {1, 3, 1, 2}),
                 1e-12));
}

TEST(Heads, ProjectTheirContextsTogether) {
  EXPECT_THAT(example(f64({0, 1, 2, 0}, {2, 2})).context,
              TensorNear(f64({15, 8}, {1, 1, 2}), 1e-12));
}

// The entropies of the weights above, log 3 - 2/3 log 2 and log 2, do not depend on the draw.
TEST(Heads, DrawIndependently) {
  const DrawnPositions drawn =
      example(torch::eye(2, torch::kFloat64), DistributionKind::hard).drawn;
  EXPECT_THAT(drawn.entropy, TensorNear(f64({std::log(3.0) + std::log(2.0) / 3}, {1, 1}), 1e-12));
}

TEST(Heads, LetScoresOfEqualSizesCompareAnyQuery) {
  AttentionOptions options;
  options.score = ScoreKind::dot;
  options.heads = 2;
  EXPECT_NO_THROW(Attention(options, 5, 6));
}

TEST(Heads, MustShareTheFeaturesEvenly) {
  EXPECT_THAT(
      [] {
        Heads(4, {5, 6});
      },
      testing::ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("model.attention.heads: 4 heads cannot share the 6 features"),
                HasSubstr("choose a divisor of 6"))));
}

}  // namespace
}  // namespace attend::nn
