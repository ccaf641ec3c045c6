#include "decode/attention/alti.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>

#include <stdexcept>

#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using test::f64;
using test::small_model;
using test::small_options;
using test::small_sources;
using test::small_targets;
using test::TensorNear;

torch::Tensor as_f64(const torch::Tensor& x) {
  return x.to(torch::kFloat64);
}

// Encoder: E = E_2 E_1 with E_1 = [1/2 1/2; 0 1] and E_2 = [1 0; 3/4 1/4] is [1/2 1/2; 3/8 5/8].
// Layer 1: X = [1/2 0; 1/8 1/8], r = (1/2 3/4), A = [1 0; 1/3 2/3].
//   X E = [1/4 1/4; 1/16 + 3/64, 1/16 + 5/64],  r A = [1/2 0; 1/4 1/2].
// Layer 2: X = [0 1/2; 1/4 1/4], r = (1/2 1/2), A = [1 0; 1/2 1/2].
//   X E = [3/16 5/16; 7/32 9/32],  r A = [1/2 0; 1/4 1/4].
//   source: row 1 = (3/16 5/16) + 1/2 (1/4 1/4) = (5/16 7/16);
//           row 2 = (7/32 9/32) + 1/4 (1/4 1/4) + 1/4 (7/64 9/64) = (79/256 97/256).
//   target: row 1 = 1/2 (1/2 0) = (1/4 0);  row 2 = 1/4 (1/2 0) + 1/4 (1/4 1/2) = (3/16 1/8).
// The matrices are given as multiples of their rows.
TEST(InteractionRollout, EqualsTheSharesWorkedOutByHand) {
  const auto shares =
      interaction_rollout({{f64({3, 3, 0, 2}, {2, 2}), f64({5, 0, 3, 1}, {2, 2})},
                           {f64({1, 0, 1, 2}, {2, 2}), f64({7, 0, 4, 4}, {2, 2})},
                           {f64({1, 1, 0, 6, 1, 1}, {2, 3}), f64({2, 0, 2, 2, 1, 1}, {2, 3})}});
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_THAT(as_f64(shares[0].source),
              TensorNear(f64({0.25, 0.25, 7.0 / 64, 9.0 / 64}, {2, 2}), 1e-7));
  EXPECT_THAT(as_f64(shares[0].target), TensorNear(f64({0.5, 0, 0.25, 0.5}, {2, 2}), 1e-7));
  EXPECT_THAT(as_f64(shares[1].source),
              TensorNear(f64({5.0 / 16, 7.0 / 16, 79.0 / 256, 97.0 / 256}, {2, 2}), 1e-7));
  EXPECT_THAT(as_f64(shares[1].target), TensorNear(f64({0.25, 0, 3.0 / 16, 0.125}, {2, 2}), 1e-7));
}

TEST(InteractionRollout, CountsRowsOfZerosAsResidualConnection) {
  const auto shares = interaction_rollout(
      {{f64({0, 0, 0, 1}, {2, 2})}, {f64({0}, {1, 1})}, {f64({1, 1, 0}, {1, 3})}});
  EXPECT_THAT(as_f64(shares[0].source), TensorNear(f64({0.5, 0}, {1, 2}), 0));
  EXPECT_THAT(as_f64(shares[0].target), TensorNear(f64({0.5}, {1, 1}), 0));
  const auto none = interaction_rollout({{}, {f64({1}, {1, 1})}, {f64({0, 0, 0}, {1, 3})}});
  EXPECT_THAT(as_f64(none[0].target), TensorNear(f64({1}, {1, 1}), 0));
}

/// Two layers of encoder, and three of a decoder that shows the second.
std::shared_ptr<model::Seq2Seq> two_stacks() {
  model::ModelOptions options = small_options(model::WiringKind::luong);
  auto& encoder = options.encoder.emplace<model::TransformerEncoderOptions>();
  auto& decoder = options.decoder.emplace<model::TransformerDecoderOptions>();
  encoder.width = 6;
  decoder.width = 8;
  encoder.heads = decoder.heads = 2;
  encoder.layers = 2;
  decoder.layers = 3;
  decoder.alignment_layer = 2;
  options.attention.heads = 4;
  options.attention.score = nn::ScoreKind::scaled_dot;
  return small_model(options);
}

TEST(Alti, SharesEachTargetPositionAmongSourceAndPrefix) {
  const auto model = two_stacks();
  const auto found = alti(*model, data::pad(small_sources()), small_targets());
  ASSERT_EQ(found.size(), 3U);
  float largest = 0.0F;  // a layer may give the source nothing: negative interactions count as 0
  for (std::size_t pair = 0; pair < found.size(); ++pair) {
    ASSERT_EQ(found[pair].size(), 3U);
    const auto steps = std::ssize(small_targets()[pair]) + 1;
    for (const auto& [source, target] : found[pair]) {
      EXPECT_EQ(source.sizes(), (torch::IntArrayRef{steps, std::ssize(small_sources()[pair])}));
      EXPECT_EQ(target.sizes(), (torch::IntArrayRef{steps, steps}));
      EXPECT_THAT(as_f64(source.sum(1) + target.sum(1)),
                  TensorNear(torch::ones({steps}, torch::kFloat64), 1e-6));
      EXPECT_GE(torch::cat({source, target}, 1).min().item<float>(), 0.0F);
      largest = std::max(largest, source.max().item<float>());
      EXPECT_EQ(target.triu(1).abs().max().item<float>(), 0.0F) << "the future";
    }
  }
  EXPECT_GT(largest, 0.0F);
}

TEST(Alti, DoesNotDependOnTheBatch) {
  const auto model = two_stacks();
  const auto together = alti(*model, data::pad(small_sources()), small_targets());
  for (std::size_t pair = 0; pair < together.size(); ++pair) {
    const auto alone = alti(*model, data::pad(test::Sentences{small_sources()[pair]}),
                            test::Sentences{small_targets()[pair]});
    for (std::size_t layer = 0; layer < 3; ++layer) {
      EXPECT_THAT(as_f64(together[pair][layer].source),
                  TensorNear(as_f64(alone[0][layer].source), 1e-6));
      EXPECT_THAT(as_f64(together[pair][layer].target),
                  TensorNear(as_f64(alone[0][layer].target), 1e-6));
    }
  }
}

TEST(Alti, GivesTheSourceSharesOfALayer) {
  const auto model = two_stacks();
  const auto source = data::pad(small_sources());
  const auto all = alti(*model, source, small_targets());
  EXPECT_THAT(alti(*model, source, small_targets(), {})[0], TensorNear(all[0][1].source, 0));
  EXPECT_THAT(alti(*model, source, small_targets(), {3, 0})[1], TensorNear(all[1][2].source, 0));
}

TEST(Alti, OfARecurrentModelIsABug) {
  const auto model = small_model(small_options(model::WiringKind::luong));
  EXPECT_THROW((void)alti(*model, data::pad(small_sources()), small_targets()), std::logic_error);
}

}  // namespace
}  // namespace attend::decode
