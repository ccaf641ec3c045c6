// Attention with one position per row, as in search: kernels against plain operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "nn/attention/self_attention.h"
#include "nn/execution.h"
#include "nn/fused/ssru.h"
#include "nn/rnn/ssru.h"
#include "tests/nn/dot_softmax.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorNear;
using torch::Tensor;

constexpr Execution kPlainSteps{.fused = false};

void randomize(torch::nn::Module& module, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  module.to(torch::kFloat64);
  for (Tensor& parameter : module.parameters()) {
    parameter.copy_(random_f64(parameter.sizes(), seed++));
  }
  module.eval();
}

// Row 0 descends from row 1 of position 0 and row 0 of position 1. Their keys are 3 and 0, so the
// weights are e^3 / (e^3 + 1) and 1 / (e^3 + 1), and their values are 5 and 7.
TEST(StepAttention, ReadsTheAncestorsOfARowByHand) {
  const fused::StepHistory history{{f64({9, 3}, {2, 1}), f64({0, 9}, {2, 1})},
                                   {f64({9, 5}, {2, 1}), f64({7, 9}, {2, 1})}};
  const fused::StepOutput output = fused::step_attention(
      {f64({1}, {1, 1}), 1, true}, history, torch::tensor({1, 0}, torch::kInt64).view({1, 2}));
  const double weight = std::exp(3.0) / (std::exp(3.0) + 1.0);
  EXPECT_THAT(output.weights, TensorNear(f64({weight, 1 - weight}, {1, 1, 2}), 1e-14));
  EXPECT_THAT(output.context, TensorNear(f64({5 * weight + 7 * (1 - weight)}, {1, 1}), 1e-13));
}

TEST(StepAttention, OfASourceOfLengthZeroIsZero) {
  const Tensor memory = random_f64({1, 1, 3, 2}, 1);
  const fused::StepOutput output = fused::step_attention(
      {f64({1, 2}, {1, 2}), 1, true},
      fused::StepMemory{memory, memory, torch::zeros({1}, torch::kInt64), {}});
  EXPECT_TRUE(output.context.eq(0).all().item<bool>());
  EXPECT_TRUE(output.weights.eq(0).all().item<bool>());
}

class StepsOfAttention : public testing::TestWithParam<std::string> {};

TEST_P(StepsOfAttention, ToTheSourceMatchThePlainOnesForAnyOwners) {
  const torch::NoGradGuard no_grad;
  Attention attention(dot_softmax(GetParam()), 20, 20);
  randomize(attention, 3);
  const Tensor x = random_f64({3, 19, 20}, 4), query = random_f64({5, 1, 20}, 5);
  const Tensor lengths = torch::tensor({19, 1, 10}, torch::kInt64);
  const PreparedMemory memory = attention.prepare({x, x, test::mask_of(lengths, 19), lengths})
                                    .with_owners()
                                    .select(torch::tensor({2, 0, 0, 1, 2}, torch::kInt64));
  const Attended fused = attention.attend(query, memory, {}, 3, 0.0);
  const ExecutionScope scope(kPlainSteps);
  const Attended plain = attention.attend(query, memory, {}, 3, 0.0);
  EXPECT_THAT(fused.context, TensorNear(plain.context, 1e-12));
  EXPECT_THAT(fused.weights, TensorNear(plain.weights, 1e-13));
  EXPECT_THAT(fused.heads, TensorNear(plain.heads, 1e-13));
}

TEST_P(StepsOfAttention, ToThemselvesMatchThePlainOnesAfterSelection) {
  const torch::NoGradGuard no_grad;
  for (const PositionKind positions : {PositionKind::none, PositionKind::rotary}) {
    SelfAttentionOptions options;
    options.attention = dot_softmax(GetParam());
    options.positions = positions;
    options.causal = true;
    SelfAttention attention(options, 20);
    randomize(attention, 6);
    fused::StepHistory history;
    KeyValueCache cache;
    Tensor ancestors = torch::empty({2, 0}, torch::kInt64);
    for (int64_t t = 0; t < 4; ++t) {
      const Tensor x = random_f64({2 + t, 1, 20}, 7 + static_cast<uint64_t>(t));
      ASSERT_TRUE(attention.has_step_form(x));
      const Tensor now = at::cat({ancestors, torch::arange(2 + t).unsqueeze(1)}, 1);
      auto fused = attention.extend_history(x, history, now, AttentionOutputs::weights);
      const ExecutionScope scope(kPlainSteps);
      auto plain = attention.extend(x, cache, 0.0);
      EXPECT_THAT(fused.context, TensorNear(plain.attended.context, 1e-12))
          << enum_name(positions) << t;
      EXPECT_THAT(fused.weights, TensorNear(plain.attended.heads, 1e-13))
          << enum_name(positions) << t;
      const KeyValueCache same = attention.cache_of(fused.history, now);
      EXPECT_THAT(same.keys, TensorNear(plain.cache.keys, 1e-13));
      EXPECT_THAT(same.values, TensorNear(plain.cache.values, 1e-13));
      // One more row; all descend from rows 0 and 1 + t.
      const Tensor parents = torch::arange(3 + t).remainder(2) * (1 + t);
      ancestors = now.index_select(0, parents);
      cache = plain.cache.select(parents);
      history = fused.history;
    }
  }
}

TEST_P(StepsOfAttention, OfWholeSentencesDropNothingOutsideTraining) {
  const torch::NoGradGuard no_grad;
  SelfAttentionOptions options;
  options.attention = dot_softmax(GetParam());
  SelfAttention attention(options, 20);
  randomize(attention, 11);
  const Tensor x = random_f64({3, 9, 20}, 12);
  const Tensor lengths = torch::tensor({9, 1, 5}, torch::kInt64), mask = test::mask_of(lengths, 9);
  const Tensor fused =
      attention.attend(x, mask, lengths, 0.5, AttentionOutputs::context_only).context;
  const ExecutionScope scope(kPlainSteps);
  const Tensor plain = attention.attend(x, mask, lengths, 0.5).context;
  EXPECT_THAT(fused, TensorNear(plain, 1e-12));
}

INSTANTIATE_TEST_SUITE_P(Attentions, StepsOfAttention,
                         testing::Values("dot", "scaled_dot", "general", "position_bias"));

struct SsruAnswer {
  Tensor outputs, cell;
  std::vector<Tensor> gradients;
};

SsruAnswer ssru_answer(Ssru& ssru, const Execution& execution) {
  const ExecutionScope scope(execution);
  const Tensor x = random_f64({5, 7, 6}, 21).set_requires_grad(true);
  const Tensor before = random_f64({5, 6}, 22).set_requires_grad(true);
  const Ssru::Output output = ssru.forward(x, before);
  std::vector<Tensor> leaves{x, before};
  for (const Tensor& parameter : ssru.parameters()) leaves.push_back(parameter);
  const Tensor objective = (output.outputs * random_f64({5, 7, 6}, 23)).sum() +
                           (output.cell * random_f64({5, 6}, 24)).sum();
  return {output.outputs.detach(), output.cell.detach(),
          torch::autograd::grad({objective}, leaves)};
}

TEST(FusedSsru, AndItsGradientsAreThePlainOnes) {
  Ssru ssru(6);
  randomize(ssru, 25);
  const SsruAnswer plain = ssru_answer(ssru, kPlainSteps), fused = ssru_answer(ssru, {});
  EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-13));
  EXPECT_THAT(fused.cell, TensorNear(plain.cell, 1e-13));
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-12)) << i;
  }
}

TEST(FusedSsru, HasTheGradientsOfCentralDifferences) {
  const Tensor candidates = random_f64({5, 4, 3}, 31).set_requires_grad(true);
  const Tensor gates = random_f64({5, 4, 3}, 32).set_requires_grad(true);
  const Tensor bias = random_f64({3}, 33).set_requires_grad(true);
  const auto function = [&] { return fused::ssru({candidates, gates, bias, {}}).outputs; };
  EXPECT_LT(test::max_gradient_error(function, {candidates, gates, bias}), 1e-6);
}

}  // namespace
}  // namespace attend::nn
