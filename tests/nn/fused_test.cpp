// The fused functions against the plain ones.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "kernels/product/panels.h"
#include "nn/attention/attention.h"
#include "nn/attention/self_attention.h"
#include "nn/execution.h"
#include "nn/fused/head_attention.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/rnn/sequence.h"
#include "tests/nn/dot_softmax.h"
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
constexpr Execution kDevicePath{.fused = true, .device_path = true};
constexpr Execution kRoundedOnDevicePath{.fused = true, .device_path = true, .bf16 = true};

/// Gradients of `objective` for each of `leaves`.
std::vector<Tensor> gradients(const Tensor& objective, const std::vector<Tensor>& leaves) {
  return torch::autograd::grad({objective}, leaves);
}

/// Sets every parameter to random numbers in float64.
void fill(torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  module.to(torch::kFloat64);
  uint64_t seed = 4;
  for (Tensor& parameter : module.parameters()) {
    parameter.copy_(random_f64(parameter.sizes(), seed++));
  }
}

/// A multi-head attention in training over a ragged memory, with fused kernels or plain.
class WholeAttention : public testing::TestWithParam<std::string> {
 protected:
  struct Answer {
    Tensor context, heads;
    std::vector<Tensor> gradients;  // for query, memory and every parameter
  };

  /// The objective reads the context and the weights. Dropout draws the same mask each time.
  static Answer answer(const Attention& attention, const Execution& execution, double dropout) {
    const ExecutionScope scope(execution);
    torch::manual_seed(11);
    const Tensor query = random_f64({3, 7, 8}, 101).set_requires_grad(true);
    const Tensor x = random_f64({3, 19, 8}, 102).set_requires_grad(true);
    const Tensor of_context = random_f64({3, 7, 8}, 103), of_heads = random_f64({3, 2, 7, 19}, 104);
    const Tensor lengths = torch::tensor({19, 1, 10}, torch::kInt64);
    const Memory memory{x, x, test::mask_of(lengths, 19), lengths};
    const Attended attended = attention.attend(query, attention.prepare(memory), {}, 0, dropout);
    std::vector<Tensor> leaves{query, x};
    for (const Tensor& parameter : attention.parameters()) leaves.push_back(parameter);
    const Tensor objective =
        (attended.context * of_context).sum() + (attended.heads * of_heads).sum();
    return {attended.context.detach(), attended.heads.detach(), gradients(objective, leaves)};
  }

  static Attention attention_of(const std::string& name) {
    Attention attention(dot_softmax(name), 8, 8);
    fill(attention);
    return attention;
  }
};

TEST_P(WholeAttention, AndItsGradientsAreThePlainOnes) {
  const Attention attention = attention_of(GetParam());
  for (const double dropout : {0.0, 0.4}) {
    const Answer plain = answer(attention, kPlain, dropout);
    const Answer fused = answer(attention, kFused, dropout);
    EXPECT_THAT(fused.context, TensorNear(plain.context, 1e-12)) << dropout;
    EXPECT_THAT(fused.heads, TensorNear(plain.heads, 1e-12)) << dropout;
    ASSERT_EQ(fused.gradients.size(), plain.gradients.size());
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-11)) << i;
    }
  }
}

TEST_P(WholeAttention, IsTheSameOnTwoThreads) {
  const Attention attention = attention_of(GetParam());
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Answer one = answer(attention, kFused, 0.4);
  at::set_num_threads(2);
  const Answer two = answer(attention, kFused, 0.4);
  at::set_num_threads(threads);
  EXPECT_TRUE(one.context.equal(two.context));
  for (std::size_t i = 0; i < one.gradients.size(); ++i) {
    EXPECT_TRUE(one.gradients[i].equal(two.gradients[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Attentions, WholeAttention,
                         testing::Values("dot", "scaled_dot", "general", "position_bias"));

/// A decoder's self-attention from position 0, with the gradients of its input and parameters.
std::vector<Tensor> causal_answer(const SelfAttention& attention, const Execution& execution,
                                  AttentionOutputs wanted) {
  const ExecutionScope scope(execution);
  torch::manual_seed(11);
  const Tensor x = random_f64({2, 21, 8}, 106).set_requires_grad(true);
  const Attended attended = attention.extend(x, {}, 0.3, wanted).attended;
  EXPECT_EQ(attended.heads.defined(), wanted == AttentionOutputs::weights || !execution.fused);
  std::vector<Tensor> leaves{x};
  for (const Tensor& parameter : attention.parameters()) leaves.push_back(parameter);
  std::vector<Tensor> results =
      gradients((attended.context * random_f64({2, 21, 8}, 107)).sum(), leaves);
  results.push_back(attended.context.detach());
  return results;
}

class WholeSelfAttention : public testing::TestWithParam<std::string> {};

TEST_P(WholeSelfAttention, OfADecoderIsThePlainOne) {
  SelfAttentionOptions options;
  options.attention = dot_softmax(GetParam());
  options.attention.heads = 4;
  options.positions = PositionKind::rotary;
  options.causal = true;
  SelfAttention attention(options, 8);
  fill(attention);
  ASSERT_TRUE(attention.plain_reasons().empty());
  const std::vector<Tensor> plain = causal_answer(attention, kPlain, AttentionOutputs::weights);
  for (const AttentionOutputs wanted :
       {AttentionOutputs::weights, AttentionOutputs::context_only}) {
    const std::vector<Tensor> fused = causal_answer(attention, kFused, wanted);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_THAT(fused[i], TensorNear(plain[i], 1e-11)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Attentions, WholeSelfAttention,
                         testing::Values("scaled_dot", "position_bias"));

TEST(WholeAttentionOfFloats, IsThatOfDoubles) {
  torch::manual_seed(5);
  const Tensor query = random_f64({2, 3, 9, 20}, 108), keys = random_f64({2, 3, 33, 20}, 109);
  const Tensor values = random_f64({2, 3, 33, 20}, 110);
  const Tensor lengths = torch::tensor({33, 17}, torch::kInt64);
  const fused::HeadAttended in_double = fused::head_attention({.query = query,
                                                               .keys = keys,
                                                               .values = values,
                                                               .lengths = lengths,
                                                               .position = 0,
                                                               .dropout = {0.2, {3, 0, {}}}},
                                                              true);
  const auto f = [](const Tensor& x) { return x.to(torch::kFloat32); };
  const fused::HeadAttended in_float = fused::head_attention(
      {f(query), f(keys), f(values), lengths, false, 0, {0.2, {3, 0, {}}}}, true);
  EXPECT_THAT(in_float.context.to(torch::kFloat64), TensorNear(in_double.context, 1e-4));
  EXPECT_THAT(in_float.weights.to(torch::kFloat64), TensorNear(in_double.weights, 1e-5));
}

// Without positions, the context and the gradients are zero.
TEST(WholeAttentionOfNothing, IsZeroWithoutNan) {
  const Tensor query = random_f64({1, 1, 2, 4}, 111).set_requires_grad(true);
  const Tensor keys = random_f64({1, 1, 3, 4}, 112), lengths = torch::zeros({1}, torch::kInt64);
  const fused::HeadAttended attended = fused::head_attention(
      {.query = query, .keys = keys, .values = keys, .lengths = lengths, .position = 0}, true);
  EXPECT_TRUE(attended.context.eq(0).all().item<bool>());
  EXPECT_TRUE(attended.weights.eq(0).all().item<bool>());
  EXPECT_TRUE(gradients(attended.context.sum(), {query}).front().eq(0).all().item<bool>());
}

TEST(ExecutionScope, HoldsUntilItsEndAndNests) {
  EXPECT_TRUE(execution().fused);
  {
    const ExecutionScope outer(kPlain);
    const Tensor x = torch::ones({1});
    EXPECT_FALSE(is_fusible(x));
    {
      const ExecutionScope inner(kBf16);
      EXPECT_TRUE(is_fusible(x));
      EXPECT_EQ(uses_bf16(x), kernels::has_panels(kernels::Precision::bf16));
      EXPECT_FALSE(uses_bf16(x.to(torch::kFloat64)));
    }
    EXPECT_FALSE(execution().fused);
  }
  EXPECT_TRUE(execution().fused);
  EXPECT_FALSE(execution().bf16);
}

TEST(GradientInPlace, HasTheLayoutOfTheParameter) {
  const GradientMemory memory{torch::arange(12.0), torch::arange(12.0) + 100.0};
  const Tensor weight = memory.values.narrow(0, 2, 6).view({2, 3}).requires_grad_();
  EXPECT_FALSE(gradient_in_place(weight).defined()) << "no scope";
  const ExecutionScope scope({.gradients = &memory});
  EXPECT_THAT(gradient_in_place(weight.narrow(1, 1, 2)),
              TensorNear(torch::tensor({{103.0F, 104.0F}, {106.0F, 107.0F}}), 0.0));
  EXPECT_FALSE(gradient_in_place(weight.clone()).defined()) << "a copy, not the parameter";
  EXPECT_FALSE(gradient_in_place(weight.detach()).defined()) << "needs no gradient";
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(gradient_in_place(weight).defined()) << "no gradient is recorded";
}

TEST(RunsInLoop, IsForBothPathsOfFloatingPoint) {
  const Tensor x = torch::ones({1});
  EXPECT_TRUE(runs_in_loop(x));
  EXPECT_FALSE(is_on_device(x));
  {
    const ExecutionScope scope(kDevicePath);
    EXPECT_TRUE(runs_in_loop(x));
    EXPECT_TRUE(is_on_device(x));
    EXPECT_FALSE(is_fusible(x)) << "only for kernels of the CPU";
    EXPECT_FALSE(runs_in_loop(torch::ones({1}, torch::kInt64)));
  }
  const ExecutionScope scope({.fused = false, .device_path = true});
  EXPECT_FALSE(runs_in_loop(x));
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

TEST(OutputCrossEntropy, MatchesThePlainOne) {
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
    if (!kernels::has_panels(kernels::Precision::bf16))
      GTEST_SKIP() << "this CPU has no bf16 instructions";
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
  // Each operand has a relative error of at most 2^-9, and the errors of a sum partly cancel.
  EXPECT_LT(relative_difference(rough, exact), 1.0 / 256);
  EXPECT_GT(relative_difference(rough, exact), 0.0);
  const auto expected = gradients(exact.pow(2).sum(), {x, weight, bias});
  const auto actual = gradients(rough.pow(2).sum(), {x, weight, bias});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(relative_difference(actual[i], expected[i]), 1.0 / 128) << i;
  }
}

/// Two cells that read 20 sequences of 1 to 6 steps in opposite directions, one with a mask.
struct TwoDirections {
  std::shared_ptr<RnnCell> ahead, back;
  Tensor x = random_f64({20, 6, 3}, 3).requires_grad_();
  Tensor lengths = torch::arange(20, torch::kInt64).remainder(6) + 1;
  Tensor mask = random_f64({20, 4}, 5);

  explicit TwoDirections(CellKind cell)
      : ahead(make_cell(cell, 3, 4, false)), back(make_cell(cell, 3, 4, false)) {
    test::randomize(*ahead, 1);
    test::randomize(*back, 2);
  }
  [[nodiscard]] std::vector<Direction> directions() const {
    return {{*ahead, random_state(*ahead, 6), mask},
            {*back, random_state(*back, 7), {}, fused::ReadingDirection::backward}};
  }
  [[nodiscard]] SequenceOutput run(const std::vector<Direction>& which,
                                   const Execution& execution) const {
    return run(which, execution, x);
  }
  [[nodiscard]] SequenceOutput run(const std::vector<Direction>& which, const Execution& execution,
                                   const IndexedRows& from) const {
    const ExecutionScope scope(execution);
    return run_directions(which, from, lengths);
  }
  /// `first` and all parameters.
  [[nodiscard]] std::vector<Tensor> leaves(const Tensor& first) const {
    std::vector<Tensor> all{first};
    for (const auto& module : {ahead, back}) {
      for (const Tensor& parameter : module->parameters()) all.push_back(parameter);
    }
    return all;
  }
  [[nodiscard]] static CellState random_state(const RnnCell& cell, unsigned seed) {
    return {random_f64({20, 4}, seed), cell.has_cell() ? random_f64({20, 4}, seed + 10) : Tensor()};
  }
};

TEST(RunDirections, StandSideBySideWithZerosOnPadding) {
  const TwoDirections two(CellKind::lstm);
  const Tensor padding = test::mask_of(two.lengths, 6).logical_not().unsqueeze(2);
  for (const Execution& execution : {kPlain, kFused}) {
    const std::vector<Direction> both = two.directions();
    const SequenceOutput together = two.run(both, execution);
    for (std::size_t i = 0; i < 2; ++i) {
      const SequenceOutput alone = two.run({both[i]}, execution);
      const auto begin = static_cast<int64_t>(4 * i);
      EXPECT_THAT(together.outputs.narrow(2, begin, 4), TensorNear(alone.outputs, 0.0));
      EXPECT_THAT(together.last.hidden.narrow(1, begin, 4), TensorNear(alone.last.hidden, 0.0));
      EXPECT_THAT(together.last.cell.narrow(1, begin, 4), TensorNear(alone.last.cell, 0.0));
    }
    EXPECT_EQ(together.outputs.masked_select(padding).abs().max().item<double>(), 0.0);
  }
}

/// A number that depends on all outputs of a layer.
Tensor objective_of(const SequenceOutput& output) {
  const Tensor sum = (output.outputs * random_f64(output.outputs.sizes(), 8)).sum() +
                     output.last.hidden.pow(2).sum();
  return output.last.cell.defined() ? sum + output.last.cell.pow(2).sum() : sum;
}

void expect_near(const SequenceOutput& actual, const SequenceOutput& expected,
                 const std::vector<Tensor>& expected_gradients, const std::vector<Tensor>& leaves) {
  EXPECT_THAT(actual.outputs, TensorNear(expected.outputs, 1e-12));
  EXPECT_THAT(actual.last.hidden, TensorNear(expected.last.hidden, 1e-12));
  const std::vector<Tensor> actual_gradients = gradients(objective_of(actual), leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_THAT(actual_gradients[i], TensorNear(expected_gradients[i], 1e-11)) << "leaf " << i;
  }
}

// LibTorch has no recurrent layer for this cell, so a loop runs it.
TEST(RunDirections, RoundProductsOverAllStepsOnTheDevicePath) {
  const TwoDirections two(CellKind::mingru);
  const Tensor x = two.x.detach().to(torch::kFloat32);
  two.ahead->to(torch::kFloat32);
  const auto run = [&](const Execution& execution) {
    const CellState start = two.ahead->start(20, x);
    return two.run({{*two.ahead, start, {}}}, execution, x).outputs;
  };
  const Tensor exact = run(kDevicePath), rough = run(kRoundedOnDevicePath);
  EXPECT_THAT(exact, TensorNear(run(kPlain), 1e-5));
  EXPECT_LT(relative_difference(rough, exact), 1.0 / 32);
  EXPECT_GT(relative_difference(rough, exact), 0.0);
}

TEST(RunDirections, AreTheSameFusedAndPlain) {
  for (const CellKind cell : {CellKind::lstm, CellKind::gru, CellKind::mingru}) {
    const TwoDirections two(cell);
    const std::vector<Direction> both = two.directions();
    const std::vector<Tensor> leaves = two.leaves(two.x);
    const SequenceOutput plain = two.run(both, kPlain);
    const std::vector<Tensor> expected = gradients(objective_of(plain), leaves);
    expect_near(two.run(both, kDevicePath), plain, expected, leaves);
    for (const int threads : {1, 2}) {
      at::set_num_threads(threads);
      const SequenceOutput fused = two.run(both, kFused);
      EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-12));
      EXPECT_THAT(fused.last.hidden, TensorNear(plain.last.hidden, 1e-12));
      const std::vector<Tensor> actual = gradients(objective_of(fused), leaves);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_THAT(actual[i], TensorNear(expected[i], 1e-11)) << enum_name(cell) << " leaf " << i;
      }
    }
    at::set_num_threads(1);
  }
}

/// h' = tanh(W x + U h), a minimal cell without a fused form.
class ElmanCell final : public RnnCell {
 public:
  ElmanCell(int64_t input_size, int64_t hidden_size) : RnnCell(input_size, hidden_size, 1) {}
  [[nodiscard]] CellState step(const Tensor& projected, const CellState& state,
                               const Tensor&) const override {
    return {linear_added(projected, state.hidden, recurrent_weight_).tanh(), {}};
  }
  [[nodiscard]] bool has_cell() const override { return false; }
};

TEST(RunDirections, TakeACellWithoutAFusedForm) {
  ElmanCell cell(3, 4);
  test::randomize(cell, 1);
  EXPECT_EQ(cell.fused(), nullptr);
  const Tensor x = random_f64({2, 3, 3}, 2), start = random_f64({2, 4}, 3);
  const SequenceOutput output =
      run_directions({{cell, {start, {}}, {}}}, x, torch::tensor({3, 3}, torch::kInt64));
  Tensor hidden = start;
  for (int64_t t = 0; t < 3; ++t) {
    hidden = cell.step(cell.project(x.select(1, t)), {hidden, {}}, {}).hidden;
  }
  EXPECT_THAT(output.last.hidden, TensorNear(hidden, 1e-12));
}

TEST(RunDirections, ProjectEachDistinctVectorOnce) {
  const Tensor distinct = random_f64({5, 3}, 9).requires_grad_();
  const Tensor index = torch::arange(120, torch::kInt64).remainder(5).view({20, 6});
  for (const CellKind cell : {CellKind::lstm, CellKind::gru}) {
    const TwoDirections two(cell);
    const std::vector<Direction> both = two.directions();
    const std::vector<Tensor> leaves = two.leaves(distinct);
    const SequenceOutput plain = two.run(both, kPlain, distinct.index({index}));
    const std::vector<Tensor> expected = gradients(objective_of(plain), leaves);
    EXPECT_THAT(two.run(both, kPlain, {distinct, index}).outputs, TensorNear(plain.outputs, 0.0));
    expect_near(two.run(both, kDevicePath, {distinct, index}), plain, expected, leaves);
    for (const int threads : {1, 2}) {
      at::set_num_threads(threads);
      const SequenceOutput fused = two.run(both, kFused, {distinct, index});
      EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-12));
      const std::vector<Tensor> actual = gradients(objective_of(fused), leaves);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_THAT(actual[i], TensorNear(expected[i], 1e-11)) << enum_name(cell) << " leaf " << i;
      }
    }
    at::set_num_threads(1);
  }
}

TEST(RealPositions, AreTheSameFused) {
  const Tensor states = random_f64({3, 4, 2}, 1).requires_grad_();
  const Tensor mask = test::mask_of(torch::tensor({2, 4, 1}, torch::kInt64), 4);
  const Tensor weights = random_f64({7, 2}, 2);
  const auto run = [&](const Execution& execution) {
    const ExecutionScope scope(execution);
    return real_positions(states, mask);
  };
  const Tensor plain = run(kPlain), fused = run(kFused);
  EXPECT_THAT(fused, TensorNear(plain, 0.0));
  EXPECT_THAT(gradients((fused * weights).sum(), {states})[0],
              TensorNear(gradients((plain * weights).sum(), {states})[0], 0.0));
}

}  // namespace
}  // namespace attend::nn
