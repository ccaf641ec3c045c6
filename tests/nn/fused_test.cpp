// The fused functions against the plain ones.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "kernels/bf16.h"
#include "nn/execution.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/rnn/sequence.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::random_f64;
using test::TensorNear;
using torch::Tensor;

constexpr Execution kPlain{.fused = false, .bf16 = false};
constexpr Execution kFused{.fused = true, .bf16 = false};
constexpr Execution kBf16{.fused = true, .bf16 = true};

/// Gradients of `objective` for each of `leaves`.
std::vector<Tensor> gradients(const Tensor& objective, const std::vector<Tensor>& leaves) {
  return torch::autograd::grad({objective}, leaves);
}

TEST(ExecutionScope, HoldsWhileItLivesAndNests) {
  EXPECT_TRUE(execution().fused);
  {
    const ExecutionScope outer(kPlain);
    const Tensor x = torch::ones({1});
    EXPECT_FALSE(is_fusible(x));
    {
      const ExecutionScope inner(kBf16);
      EXPECT_TRUE(is_fusible(x));
      EXPECT_EQ(uses_bf16(x), kernels::has_fast_bf16());
      EXPECT_FALSE(uses_bf16(x.to(torch::kFloat64)));
    }
    EXPECT_FALSE(execution().fused);
  }
  EXPECT_TRUE(execution().fused);
  EXPECT_FALSE(execution().bf16);
}

TEST(GradientInPlace, LiesWhereTheParameterDoes) {
  const GradientMemory memory{torch::arange(12.0), torch::arange(12.0) + 100.0};
  const Tensor weight = memory.values.narrow(0, 2, 6).view({2, 3}).requires_grad_();
  EXPECT_FALSE(gradient_in_place(weight).defined()) << "no scope";
  const ExecutionScope scope({.gradients = &memory});
  EXPECT_THAT(gradient_in_place(weight.narrow(1, 1, 2)),
              TensorNear(torch::tensor({{103.0F, 104.0F}, {106.0F, 107.0F}}), 0.0));
  EXPECT_FALSE(gradient_in_place(weight.clone()).defined()) << "memory of its own";
  EXPECT_FALSE(gradient_in_place(weight.detach()).defined()) << "needs no gradient";
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(gradient_in_place(weight).defined()) << "nothing is recorded";
}

TEST(IsFusible, IsForFloatingPointOnly) {
  EXPECT_TRUE(is_fusible(torch::ones({1}, torch::kFloat64)));
  EXPECT_FALSE(is_fusible(torch::ones({1}, torch::kInt64)));
  EXPECT_FALSE(is_fusible(torch::ones({1}, torch::kHalf)));
}

struct OutputLayerCase {
  Tensor states = random_f64({700, 5}, 1).requires_grad_();  // more rows than one block
  Tensor weight = random_f64({19, 5}, 2).requires_grad_();   // more classes than lanes
  Tensor bias = random_f64({19}, 3).requires_grad_();
  Tensor targets = torch::arange(700, torch::kInt64).remainder(19);

  [[nodiscard]] std::vector<Tensor> leaves() const { return {states, weight, bias}; }
  [[nodiscard]] CrossEntropy run(const Execution& execution, double smoothing) const {
    const ExecutionScope scope(execution);
    return output_cross_entropy(states, weight, bias, targets, smoothing);
  }
};

TEST(OutputCrossEntropy, ComputesWhatThePlainOneDoes) {
  const OutputLayerCase layer;
  for (const double smoothing : {0.0, 0.1}) {
    const CrossEntropy plain = layer.run(kPlain, smoothing), fused = layer.run(kFused, smoothing);
    EXPECT_NEAR(fused.nll.item<double>(), plain.nll.item<double>(), 1e-9);
    EXPECT_NEAR(fused.objective.item<double>(), plain.objective.item<double>(), 1e-9);
    const auto expected = gradients(plain.objective * 0.5, layer.leaves());
    const auto actual = gradients(fused.objective * 0.5, layer.leaves());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_THAT(actual[i], TensorNear(expected[i], 1e-11));
    }
  }
}

TEST(OutputCrossEntropy, HasOneBackwardPass) {
  const OutputLayerCase layer;
  const CrossEntropy loss = layer.run(kFused, 0.1);
  torch::autograd::grad({loss.objective}, layer.leaves(), {}, /*retain_graph=*/true);
  EXPECT_THROW(gradients(loss.objective, layer.leaves()), std::logic_error);
}

TEST(OutputCrossEntropy, TakesNoRows) {
  const Tensor none = torch::empty({0, 5}, torch::kFloat64).requires_grad_();
  const OutputLayerCase layer;
  const CrossEntropy loss =
      output_cross_entropy(none, layer.weight, layer.bias, torch::empty({0}, torch::kInt64), 0.1);
  EXPECT_EQ(loss.nll.item<double>(), 0.0);
  EXPECT_THAT(gradients(loss.objective, {layer.weight})[0],
              TensorNear(torch::zeros({19, 5}, torch::kFloat64), 0.0));
}

TEST(OutputCrossEntropy, SurvivesHugeLogits) {
  const Tensor states = torch::full({1, 1}, 1e4F).requires_grad_();
  const Tensor weight = torch::tensor({{1.0F}, {-1.0F}}), bias = torch::zeros({2});
  const CrossEntropy loss =
      output_cross_entropy(states, weight, bias, torch::tensor({1}, torch::kInt64), 0.0);
  EXPECT_NEAR(loss.nll.item<double>(), 2e4, 1.0);
  EXPECT_TRUE(gradients(loss.objective, {states})[0].isfinite().all().item<bool>());
}

class Bf16Linear : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernels::has_fast_bf16()) GTEST_SKIP() << "this CPU has no bf16 instructions";
  }
};

/// The largest difference, relative to the largest element.
double relative_difference(const Tensor& actual, const Tensor& expected) {
  return ((actual - expected).abs().max() / expected.abs().max()).item<double>();
}

TEST_F(Bf16Linear, StaysAsCloseAsRoundedOperandsCan) {
  const Tensor x = random_f64({3, 7, 64}, 1).to(torch::kFloat32).requires_grad_();
  const Tensor weight = random_f64({33, 64}, 2).to(torch::kFloat32).requires_grad_();
  const Tensor bias = random_f64({33}, 3).to(torch::kFloat32).requires_grad_();
  const auto run = [&](const Execution& execution) {
    const ExecutionScope scope(execution);
    return linear(x, weight, bias);
  };
  const Tensor exact = run(kPlain), rough = run(kBf16);
  // Each operand is off by at most 2^-9 of itself, and errors of a sum partly cancel.
  EXPECT_LT(relative_difference(rough, exact), 1.0 / 256);
  EXPECT_GT(relative_difference(rough, exact), 0.0);
  const auto expected = gradients(exact.pow(2).sum(), {x, weight, bias});
  const auto actual = gradients(rough.pow(2).sum(), {x, weight, bias});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(relative_difference(actual[i], expected[i]), 1.0 / 128) << i;
  }
}

TEST(RunBoth, RunsEachDirectionAsAlone) {
  const auto ahead = make_cell("lstm", 3, 4, false), back = make_cell("lstm", 3, 4, false);
  test::randomize(*ahead, 1);
  test::randomize(*back, 2);
  const Tensor x = random_f64({5, 6, 3}, 3), turned = random_f64({5, 6, 3}, 4);
  const Tensor lengths = torch::tensor({6, 5, 3, 1, 2}, torch::kInt64);
  const Tensor mask = random_f64({5, 4}, 5);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const TwoDirections both = run_both({*ahead, x, mask}, {*back, turned, {}}, lengths);
    const SequenceOutput forward = run_sequence(*ahead, x, lengths, zero_state(*ahead, 5, x), mask);
    const SequenceOutput backward =
        run_sequence(*back, turned, lengths, zero_state(*back, 5, x), {});
    EXPECT_THAT(both.forward.outputs, TensorNear(forward.outputs, 0.0));
    EXPECT_THAT(both.forward.last.cell, TensorNear(forward.last.cell, 0.0));
    EXPECT_THAT(both.backward.outputs, TensorNear(backward.outputs, 0.0));
    EXPECT_THAT(both.backward.last.hidden, TensorNear(backward.last.hidden, 0.0));
  }
  at::set_num_threads(1);
}

}  // namespace
}  // namespace attend::nn
