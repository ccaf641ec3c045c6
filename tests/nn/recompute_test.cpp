#include "nn/recompute.h"

#include <c10/util/intrusive_ptr.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "nn/drawing.h"
#include "nn/dropout.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::TensorEq;
using torch::Tensor;

/// A random matrix that requires a gradient.
Tensor with_gradient(torch::IntArrayRef sizes, uint64_t seed) {
  return test::random_f64(sizes, seed).set_requires_grad(true);
}

/// tanh(x W) with dropout of one half.
struct DroppedLayer {
  Tensor weight = with_gradient({4, 4}, 2);
  std::shared_ptr<int> calls = std::make_shared<int>(0);

  [[nodiscard]] TensorFunction function() const {
    return [weight = weight, calls = calls](const std::vector<Tensor>& inputs) {
      ++*calls;
      return std::vector<Tensor>{nn::dropout(inputs[0].mm(weight), 0.5, true).tanh()};
    };
  }
};

struct RecomputedGradients {
  Tensor outputs, x, weight;
};

RecomputedGradients pass_back(const Tensor& outputs, const Tensor& x, const Tensor& weight) {
  const auto found = torch::autograd::grad({outputs.pow(2).sum()}, {x, weight});
  return {outputs.detach(), found[0], found[1]};
}

void expect_same(const RecomputedGradients& one, const RecomputedGradients& other) {
  EXPECT_THAT(one.outputs, TensorEq(other.outputs));
  EXPECT_THAT(one.x, TensorEq(other.x));
  EXPECT_THAT(one.weight, TensorEq(other.weight));
}

TEST(Recompute, GivesTheGradientsOfTheFunctionItself) {
  const DroppedLayer layer;
  const Tensor x = with_gradient({3, 4}, 1);
  const auto with_seeds = [&](const auto& compute) {
    const SeedScope seeds(7);
    return pass_back(compute()[0], x, layer.weight);
  };
  expect_same(with_seeds([&] { return recomputed(layer.function(), {x}, {layer.weight}); }),
              with_seeds([&] { return layer.function()({x}); }));
}

TEST(Recompute, ComputesOnceInEachPass) {
  const DroppedLayer layer;
  const Tensor x = with_gradient({3, 4}, 1);
  const Tensor outputs = recomputed(layer.function(), {x}, {layer.weight})[0];
  EXPECT_EQ(*layer.calls, 1);
  outputs.sum().backward();
  EXPECT_EQ(*layer.calls, 2);
}

TEST(Recompute, JustComputesWithoutGradients) {
  const DroppedLayer layer;
  const torch::NoGradGuard no_gradient;
  const Tensor outputs =
      recomputed(layer.function(), {with_gradient({3, 4}, 1)}, {layer.weight})[0];
  EXPECT_EQ(*layer.calls, 1);
  EXPECT_FALSE(outputs.requires_grad());
}

TEST(Recompute, KeepsNoIntermediatesBetweenThePasses) {
  using Weak = c10::weak_intrusive_ptr<c10::StorageImpl>;
  const auto inside = std::make_shared<std::optional<Weak>>();
  const Tensor x = with_gradient({3, 4}, 1);
  const auto function = [inside](const std::vector<Tensor>& inputs) {
    const Tensor y = inputs[0].exp();
    inside->emplace(y.storage().getWeakStorageImpl());
    return std::vector<Tensor>{y.tanh()};
  };
  const Tensor plain = function({x})[0];
  EXPECT_FALSE((*inside)->expired());
  const Tensor outputs = recomputed(function, {x}, {})[0];
  EXPECT_TRUE((*inside)->expired());
}

/// The two passes run in different scopes.
TEST(Recompute, DrawsTheSameAgainWhereverTheBackwardPassRuns) {
  const DroppedLayer layer;
  const Tensor x = with_gradient({3, 4}, 1);
  const auto run = [&](bool again) {
    torch::manual_seed(5);
    Tensor outputs;
    {
      const LinesScope lines(torch::tensor({8, 2, 9}, torch::kInt64));
      outputs =
          again ? recomputed(layer.function(), {x}, {layer.weight})[0] : layer.function()({x})[0];
    }
    const SeedScope other_seeds(3);
    return pass_back(outputs, x, layer.weight);
  };
  expect_same(run(true), run(false));
}

TEST(Recompute, LeavesTheDrawsThatFollowAsTheyAre) {
  const DroppedLayer layer;
  const Tensor x = with_gradient({3, 4}, 1);
  const auto next_after = [&](bool again) {
    torch::manual_seed(5);
    const Tensor outputs =
        again ? recomputed(layer.function(), {x}, {layer.weight})[0] : layer.function()({x})[0];
    const uint64_t between = next_seed();
    outputs.sum().backward();
    return std::pair(between, next_seed());
  };
  EXPECT_EQ(next_after(true), next_after(false));
}

TEST(Recompute, TakesAndGivesUndefinedTensorsAtTheirPlaces) {
  const Tensor x = with_gradient({3}, 1), z = with_gradient({3}, 2);
  const auto function = [](const std::vector<Tensor>& inputs) {
    EXPECT_FALSE(inputs[0].defined());
    EXPECT_FALSE(inputs[2].defined());
    return std::vector<Tensor>{inputs[1] * 2, Tensor(), inputs[3] * inputs[1]};
  };
  const std::vector<Tensor> outputs = recomputed(function, {Tensor(), x, Tensor(), z}, {});
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_FALSE(outputs[1].defined());
  (outputs[0] + outputs[2]).sum().backward();
  EXPECT_THAT(x.grad(), TensorEq(2 + z.detach()));
  EXPECT_THAT(z.grad(), TensorEq(x.detach()));
}

TEST(Recompute, HasNoGradientForConstants) {
  const Tensor x = test::random_f64({3}, 1), frozen = test::random_f64({3}, 2),
               y = with_gradient({3}, 3);
  const auto function = [&](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{inputs[0] * frozen * y, inputs[0] + frozen};
  };
  const std::vector<Tensor> outputs = recomputed(function, {x}, {frozen, y});
  outputs[0].sum().backward();  // the other output is not used
  EXPECT_THAT(y.grad(), TensorEq(x * frozen));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(frozen.grad().defined());
}

TEST(Recompute, RefusesAStepsScope) {
  const DroppedLayer layer;
  StepsScope steps;
  steps.begin(0);
  EXPECT_THROW((void)recomputed(layer.function(), {with_gradient({3, 4}, 1)}, {layer.weight}),
               std::logic_error);
}

}  // namespace
}  // namespace attend::nn
