#include "model/transformer/attention_sum.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/named_enum.h"
#include "model/transformer/residual.h"
#include "nn/attention/self_attention.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::f64;
using test::random_f64;
using test::TensorNear;

nn::AddedVectors constant(const torch::Tensor& vectors) {
  return [vectors](int64_t) { return vectors; };
}

std::shared_ptr<nn::LayerNorm> random_norm(int64_t size) {
  auto norm = std::make_shared<nn::LayerNorm>(size);
  test::randomize(*norm, 4);
  return norm;
}

// Two positions, one head. Output 1: (4 0) + 1/2 (2 -4) + 1/2 (-2 2) = (4 -1), norm 5.
//   T(1) = (5 -2): distance 1 + 1 = 2, interaction 3.   T(2) = (-1 1): distance 7, interaction 0.
// Output 2: (0 1) + (-2 2) = (-2 3), norm 5.
//   T(1) = 0: interaction 0.   T(2) = (-2 3): distance 0, interaction 5.
// With the residual apart: (4 0) has distance 1 and interaction 4, 1/2 (2 -4) = (1 -2) distance 4
// and 1; (0 1) distance 4 and 1, (-2 2) distance 1 and 4.
TEST(AttentionSum, HasTheInteractionsWorkedOutByHand) {
  const AttentionSum sum({f64({4, 0, 0, 1}, {1, 2, 2}), f64({0.5, 0.5, 0, 1}, {1, 1, 2, 2}),
                          constant(f64({2, -4, -2, 2}, {1, 1, 2, 2}))},
                         nullptr);
  EXPECT_THAT(sum.output(), TensorNear(f64({4, -1, -2, 3}, {1, 2, 2}), 1e-12));
  EXPECT_THAT(sum.interactions(), TensorNear(f64({3, 0, 0, 5}, {1, 2, 2}), 1e-12));
  EXPECT_THAT(sum.interactions_apart(), TensorNear(f64({4, 1, 0, 1, 0, 4}, {1, 2, 3}), 1e-12));
}

// The sum (4 0) has mean 2 and standard deviation 2; gain (1 2), bias (1 0). Residual (3 -1)
// without its mean is (2 -2), the position's (1 1) is 0. y = (2 -2), norm 4. The residual's share
// is (1 -2).
TEST(AttentionSum, SharesTheNormAfterItByHand) {
  auto norm = std::make_shared<nn::LayerNorm>(2);
  norm->to(torch::kFloat64);
  test::set_parameter(*norm, "gain", f64({1, 2}, {2}));
  test::set_parameter(*norm, "bias", f64({1, 0}, {2}));
  const AttentionSum sum(
      {f64({3, -1}, {1, 1, 2}), f64({1}, {1, 1, 1, 1}), constant(f64({1, 1}, {1, 1, 1, 2}))}, norm);
  EXPECT_THAT(sum.output(), TensorNear(f64({2, -2}, {1, 1, 2}), 1e-5));
  EXPECT_THAT(sum.interactions_apart(), TensorNear(f64({3, 0}, {1, 1, 2}), 1e-5));
}

/// Vectors of all terms and the bias, added up: [N, T, C].
torch::Tensor added_up(const AttentionSum& sum, const torch::Tensor& bias) {
  std::vector<torch::Tensor> outputs;
  for (int64_t i = 0; i < sum.output().size(1); ++i) {
    const AttentionSum::Terms terms = sum.terms(i);
    outputs.push_back(terms.residual + terms.positions.sum(1) + bias);
  }
  return torch::stack(outputs, 1);
}

constexpr int64_t kSize = 6;

/// The self-attention and its sum, with the norm before or after it, against what the layer
/// computes.
void expect_sum_of(const nn::SelfAttentionOptions& options, bool norm_first) {
  nn::SelfAttention attention(options, kSize);
  test::randomize(attention, 3);
  attention.eval();
  const auto norm = random_norm(kSize);
  norm->eval();
  const Residual around(norm, norm_first, /*dropout=*/0.0);
  const torch::Tensor x = random_f64({2, 5, kSize}, 7);
  const auto lengths = torch::full({2}, 5, torch::kInt64);
  torch::Tensor weights;
  const torch::Tensor output =
      around
          .around(x,
                  [&](const torch::Tensor& y) {
                    nn::Attended attended =
                        options.causal
                            ? attention.extend(y, {}, 0.0).attended
                            : attention.attend(y, test::mask_of(lengths, 5), lengths, 0.0);
                    weights = attended.heads;
                    return attended.context;
                  })
          .value();
  const AttentionSum sum = around.sum(x, weights, attention.added(around.read(x)));
  EXPECT_THAT(sum.output(), TensorNear(output, 1e-12));
  const torch::Tensor bias = norm_first ? torch::zeros({kSize}, torch::kFloat64) : norm->bias();
  EXPECT_THAT(added_up(sum, bias), TensorNear(output, 1e-12));
}

std::vector<nn::SelfAttentionOptions> self_attentions() {
  std::vector<nn::SelfAttentionOptions> all;
  const auto add = [&all](const auto& change) {
    nn::SelfAttentionOptions options;
    options.attention.score = ScoreKind::scaled_dot;
    options.attention.heads = 3;
    options.attention.window = 1;
    change(options);
    all.push_back(options);
  };
  for (const bool causal : {false, true}) {
    for (const PositionKind positions :
         {PositionKind::none, PositionKind::rotary, PositionKind::relative})
      add([&](auto& options) { options.positions = positions, options.causal = causal; });
    for (const DistributionKind distribution :
         {DistributionKind::sparsemax, DistributionKind::entmax15, DistributionKind::sigmoid})
      add([&](auto& options) {
        options.attention.distribution = distribution, options.causal = causal;
      });
    for (const ScopeKind scope : {ScopeKind::local_m, ScopeKind::local_p, ScopeKind::position_bias})
      add([&](auto& options) { options.attention.scope = scope, options.causal = causal; });
    for (const ScoreKind score : {ScoreKind::additive, ScoreKind::general, ScoreKind::cosine})
      add([&](auto& options) { options.attention.score = score, options.causal = causal; });
  }
  return all;
}

TEST(AttentionSum, AddsUpToTheOutputOfEverySelfAttention) {
  for (const nn::SelfAttentionOptions& options : self_attentions()) {
    for (const bool norm_first : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {} {} causal {} pre {}", options.attention.score,
                               options.attention.distribution, options.attention.scope,
                               options.positions, options.causal, norm_first));
      expect_sum_of(options, norm_first);
    }
  }
}

// Attention to the source whose score reads earlier weights.
TEST(AttentionSum, AddsUpToTheOutputOfAttentionThatReadsItsHistory) {
  nn::AttentionOptions options;
  options.score = ScoreKind::coverage;
  options.heads = 2;
  nn::Attention attention(options, kSize, kSize, nn::Projections::always);
  test::randomize(attention, 3);
  attention.eval();
  const auto norm = random_norm(kSize);
  const torch::Tensor x = random_f64({2, 4, kSize}, 7), source = random_f64({2, 5, kSize}, 8);
  const auto lengths = torch::tensor({5, 3}, torch::kInt64);
  const nn::PreparedMemory memory =
      attention.prepare({source, source, test::mask_of(lengths, 5), lengths});
  const nn::Attended attended =
      attention.attend_in_order(x, memory, attention.start(memory), 0, 0.0);
  const AttentionSum sum({x, attended.heads, constant(attention.added(memory))}, norm);
  const torch::Tensor output = norm->forward(x + attended.context);
  EXPECT_THAT(sum.output(), TensorNear(output, 1e-12));
  EXPECT_THAT(added_up(sum, norm->bias()), TensorNear(output, 1e-12));
  EXPECT_THAT(sum.interactions_apart()[1].slice(1, 4),
              TensorNear(torch::zeros({4, 2}, torch::kFloat64), 0))
      << "padding";
}

}  // namespace
}  // namespace attend::model
