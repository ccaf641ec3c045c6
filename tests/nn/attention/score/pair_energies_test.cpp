#include "nn/attention/score/pair_energies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nn/attention/attended.h"
#include "nn/attention/score/importance.h"
#include "nn/attention/score/score.h"
#include "tests/nn/attention/score_cases.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::random_f64;
using test::TensorNear;
using torch::Tensor;
using torch::autograd::variable_list;

constexpr int64_t kBatch = 2, kAsked = 7, kKeys = 5, kMixed = 3, kAskedSize = 4;
constexpr int64_t kOfOne = kBatch * kKeys * kMixed;  // numbers for one query

Tensor additive(const variable_list& x) {
  return weigh(add_query(x[0], x[1], x[2]).tanh_(), x[3]);
}

/// Query, weight, keys and importance.
variable_list additive_inputs(torch::IntArrayRef importance) {
  variable_list inputs{random_f64({kBatch, kAsked, kAskedSize}, 1),
                       random_f64({kMixed, kAskedSize}, 2), random_f64({kBatch, kKeys, kMixed}, 3),
                       random_f64(importance, 4)};
  for (Tensor& input : inputs) input.requires_grad_();
  return inputs;
}

TEST(PairEnergies, AndTheirGradientsAreThoseOfAllQueriesAtOnce) {
  for (const std::vector<int64_t>& importance :
       std::vector<std::vector<int64_t>>{{kMixed}, {6, kMixed}}) {
    const variable_list inputs = additive_inputs(importance);
    const Tensor expected = additive(inputs), d = random_f64(expected.sizes(), 5);
    const variable_list gradients = torch::autograd::grad({expected}, inputs, {d});
    for (const int64_t most : {int64_t{1}, 3 * kOfOne, 7 * kOfOne}) {
      const Tensor energies = pair_energies(additive, inputs, kKeys, kMixed, most);
      EXPECT_THAT(energies, TensorNear(expected, 1e-13)) << most;
      const variable_list found = torch::autograd::grad({energies}, inputs, {d});
      for (std::size_t i = 0; i < inputs.size(); ++i)
        EXPECT_THAT(found[i], TensorNear(gradients[i], 1e-12)) << most << ' ' << i;
    }
  }
}

TEST(PairEnergies, OfInputsWithoutAGradientHaveNone) {
  variable_list inputs = additive_inputs({kMixed});
  inputs[2] = inputs[2].detach();
  const Tensor energies = pair_energies(additive, inputs, kKeys, kMixed, /*most=*/1);
  energies.sum().backward();
  EXPECT_TRUE(inputs[0].grad().defined());
  EXPECT_FALSE(inputs[2].grad().defined());
}

TEST(PairEnergies, TakeNoMoreQueriesAtATimeThanFit) {
  std::vector<int64_t> taken;
  const auto counted = [&taken](const variable_list& x) {
    taken.push_back(x[0].size(1));
    return additive(x);
  };
  const auto energies =
      pair_energies(counted, additive_inputs({kMixed}), kKeys, kMixed, 3 * kOfOne + 1);
  EXPECT_THAT(taken, testing::ElementsAre(3, 3, 1));
  energies.sum().backward();
  EXPECT_THAT(taken, testing::ElementsAre(3, 3, 1, 3, 3, 1));
}

// 2 x 200 x 200 pairs of 256 numbers exceed kMostPairNumbers.
TEST(PairEnergies, OfLongSentencesComeInBlocksInEveryScoreThatMixesPairs) {
  for (const ScoreKind kind :
       {ScoreKind::additive, ScoreKind::concat, ScoreKind::convolution, ScoreKind::deep}) {
    AttentionOptions options;
    options.size = 256;
    const auto score = test::score_f64(kind, {4, 6}, options);
    test::randomize(*score, 1);
    score->to(torch::kFloat32);
    const Tensor keys = random_f64({2, 200, 6}, 2).to(torch::kFloat32);
    const Tensor query = random_f64({2, 200, 4}, 3).to(torch::kFloat32);
    Memory memory{keys, keys, torch::ones({2, 200}, torch::kBool),
                  torch::full({2}, 200, torch::kInt64)};
    const PreparedMemory prepared{memory, score->prepare(memory), {}, {}};
    const Tensor energies = score->energy(query, prepared, {});
    EXPECT_THAT(energies.grad_fn()->name(), testing::HasSubstr("BlockedEnergies"))
        << enum_name(kind);
    const Tensor some = score->energy(query.narrow(1, 150, 50), prepared, {});
    EXPECT_THAT(some.grad_fn()->name(), testing::Not(testing::HasSubstr("BlockedEnergies")));
    EXPECT_THAT(energies.narrow(1, 150, 50), TensorNear(some, 1e-4)) << enum_name(kind);
  }
}

}  // namespace
}  // namespace attend::nn
