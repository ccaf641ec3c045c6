// Contract of every attention: all blocks of the registries, and a sample of their combinations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include "core/error.h"
#include "nn/attention/attention.h"
#include "nn/attention/registry.h"
#include "tests/nn/attention/attention_cases.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::AttentionCase;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kB = 2, kS = 5, kT = 3, kH = 4, kC = 6;

/// Sizes that differ, unless the attention requires equal ones.
ScoreSizes sizes_of(const AttentionOptions& options) {
  try {
    static_cast<void>(Attention(options, kH, kC));
    return {kH, kC};
  } catch (const ConfigError&) {
    return {kC, kC};
  }
}

bool rows_sum_to_one(const AttentionOptions& options) {
  const bool damped = options.scope == ScopeKind::local_p;
  return !damped && (options.distribution != DistributionKind::sigmoid || options.sum_to_one);
}

/// True if the context is the sum of the values, weighted by the returned weights.
bool mixes_plainly(const AttentionOptions& options) {
  return options.heads == 1 && !options.per_feature;
}

/// Attends for all queries [B, T, H], one after another if the score reads history.
Attended attend_all(const Attention& attention, const torch::Tensor& queries,
                    const PreparedMemory& memory, bool one_by_one, double dropout = 0.0) {
  AttentionState state = attention.start(memory);
  if (!one_by_one && !attention.needs_steps()) {
    return attention.attend(queries, memory, state, 0, dropout);
  }
  std::vector<torch::Tensor> contexts, weights;
  for (int64_t t = 0; t < queries.size(1); ++t) {
    const Attended step = attention.attend(queries.slice(1, t, t + 1), memory, state, t, dropout);
    contexts.push_back(step.context);
    weights.push_back(step.weights);
    state = step.state;
  }
  return {at::cat(contexts, 1), at::cat(weights, 1), {}, state, {}};
}

class AttentionContract : public testing::TestWithParam<AttentionCase> {
 protected:
  std::shared_ptr<Attention> make(uint64_t seed) const {
    auto attention = std::make_shared<Attention>(options_, sizes_.query, sizes_.memory);
    test::randomize(*attention, seed);
    attention->eval();
    return attention;
  }

  /// Sentences of these lengths in `steps` positions, with large values on padding.
  Memory memory(const std::vector<int64_t>& lengths, int64_t steps) const {
    const auto rows = static_cast<int64_t>(lengths.size());
    const auto real = torch::tensor(lengths, torch::kInt64);
    const auto mask = test::mask_of(real, steps);
    const auto fill = [&](uint64_t seed) {
      const auto content = random_f64({rows, kS + 3, sizes_.memory}, seed).slice(1, 0, steps);
      return torch::where(mask.unsqueeze(2), content, 40 + content);
    };
    return {fill(21), fill(22), mask, real};
  }

  Attended run(const Attention& attention, const torch::Tensor& queries, const Memory& from) const {
    return attend_all(attention, queries, attention.prepare(from), false);
  }

  AttentionOptions options_ = GetParam().options;
  ScoreSizes sizes_ = sizes_of(options_);
  std::shared_ptr<Attention> attention_ = make(3);
  torch::Tensor queries_ = random_f64({kB, kT, sizes_.query}, 4);
  Memory memory_ = memory({kS, 3}, kS);
};

torch::Tensor flat(const Attended& attended) {
  return at::cat({attended.context.flatten(), attended.weights.flatten()});
}

TEST_P(AttentionContract, HasTheDeclaredShapes) {
  const Attended attended = run(*attention_, queries_, memory_);
  EXPECT_EQ(attended.context.sizes(), (torch::IntArrayRef{kB, kT, attention_->context_size()}));
  EXPECT_EQ(attended.weights.sizes(), (torch::IntArrayRef{kB, kT, kS}));
}

TEST_P(AttentionContract, WeightsAreNotNegativeAndZeroOnPadding) {
  const auto weights = run(*attention_, queries_, memory_).weights;
  EXPECT_GE(weights.min().item<double>(), 0.0);
  EXPECT_GT(weights.max().item<double>(), 0.0);
  EXPECT_THAT(weights.masked_select(memory_.mask.logical_not().unsqueeze(1)),
              TensorEq(torch::zeros({kT * 2})));
}

TEST_P(AttentionContract, RowsSumToOneOrWhereAScopeDampsThemToLess) {
  const auto sums = run(*attention_, queries_, memory_).weights.sum(2);
  if (rows_sum_to_one(options_)) {
    EXPECT_THAT(sums, TensorNear(torch::ones({kB, kT}), 1e-12));
  }
  if (options_.scope == ScopeKind::local_p && options_.distribution != DistributionKind::sigmoid) {
    EXPECT_LE(sums.max().item<double>(), 1.0 + 1e-12);
  }
}

TEST_P(AttentionContract, NothingOutsideAWindowGetsWeight) {
  if (options_.scope != ScopeKind::local_m && options_.scope != ScopeKind::local_p) return;
  const Attended attended = run(*attention_, queries_, memory_);
  const auto seen = attended.heads.defined() ? attended.heads : attended.weights.unsqueeze(1);
  EXPECT_LE((seen > 0).sum(3).max().item<int64_t>(), 2 * options_.window + 1);
}

TEST_P(AttentionContract, SeveralHeadsAreShownWithTheirMean) {
  const Attended attended =
      attention_->attend(queries_.slice(1, 0, 1), attention_->prepare(memory_),
                         attention_->start(attention_->prepare(memory_)), 0, 0);
  ASSERT_EQ(attended.heads.defined(), options_.heads > 1);
  if (options_.heads == 1) return;
  EXPECT_EQ(attended.heads.sizes(), (torch::IntArrayRef{kB, options_.heads, 1, kS}));
  EXPECT_THAT(attended.weights, TensorNear(attended.heads.sum(1) / options_.heads, 1e-12));
  if (options_.distribution != DistributionKind::softmax) return;
  EXPECT_FALSE(torch::allclose(attended.heads.select(1, 0), attended.heads.select(1, 1)));
}

TEST_P(AttentionContract, ContextIsTheWeightedSumOfTheValues) {
  if (!mixes_plainly(options_)) return;
  const Attended attended = run(*attention_, queries_, memory_);
  const auto products = attended.weights.unsqueeze(3) * memory_.values.unsqueeze(1);
  EXPECT_THAT(attended.context, TensorNear(products.sum(2), 1e-12));
}

TEST_P(AttentionContract, ForcingItsOwnWeightsChangesNothing) {
  if (options_.per_feature) return;  // results hold the mean over features only
  const PreparedMemory prepared = attention_->prepare(memory_);
  const torch::Tensor query = queries_.slice(1, 0, 1);
  const AttentionState start = attention_->start(prepared);
  const Attended free = attention_->attend(query, prepared, start, 0, 0);
  PreparedMemory forced = prepared;
  forced.forced_weights = free.heads.defined() ? free.heads.squeeze(2) : free.weights;
  const Attended same = attention_->attend(query, forced, start, 0, 0);
  EXPECT_THAT(same.context, TensorNear(free.context, 1e-12));
  EXPECT_THAT(same.weights, TensorNear(free.weights, 1e-12));
  EXPECT_EQ(same.heads.defined(), free.heads.defined());
  if (!attention_->needs_steps()) return;
  EXPECT_THAT(same.state.previous, TensorNear(free.state.previous, 1e-12));
  EXPECT_THAT(same.state.coverage, TensorNear(free.state.coverage, 1e-12));
}

TEST_P(AttentionContract, MorePaddingChangesNothing) {
  const Attended expected = run(*attention_, queries_, memory_);
  const Attended padded = run(*attention_, queries_, memory({kS, 3}, kS + 3));
  EXPECT_THAT(padded.context, TensorNear(expected.context, 1e-12));
  EXPECT_THAT(padded.weights.slice(2, 0, kS), TensorNear(expected.weights, 1e-12));
  EXPECT_THAT(padded.weights.slice(2, kS), TensorEq(torch::zeros({kB, kT, 3})));
}

TEST_P(AttentionContract, PermutingTheBatchPermutesTheResult) {
  const auto order = torch::tensor({1, 0}, torch::kInt64);
  const Attended expected = run(*attention_, queries_, memory_);
  const Attended permuted =
      run(*attention_, queries_.index_select(0, order), memory_.select(order));
  EXPECT_THAT(permuted.context, TensorNear(expected.context.index_select(0, order), 1e-12));
  EXPECT_THAT(permuted.weights, TensorNear(expected.weights.index_select(0, order), 1e-12));
}

TEST_P(AttentionContract, SelectedRowsAttendAsTheirSentences) {
  const auto rows = torch::tensor({1, 0, 1}, torch::kInt64);
  const PreparedMemory prepared = attention_->prepare(memory_);
  const Attended expected = attend_all(*attention_, queries_, prepared, false);
  const Attended selected =
      attend_all(*attention_, queries_.index_select(0, rows), prepared.select(rows), false);
  EXPECT_THAT(selected.weights, TensorNear(expected.weights.index_select(0, rows), 1e-12));
  EXPECT_THAT(selected.context, TensorNear(expected.context.index_select(0, rows), 1e-12));
}

// Regression: windows of no sentences had an ambiguous shape.
TEST_P(AttentionContract, NoSentencesGiveNoRows) {
  const auto none = torch::empty({0}, torch::kInt64);
  const Attended attended = attend_all(*attention_, queries_.index_select(0, none),
                                       attention_->prepare(memory_).select(none), false);
  EXPECT_EQ(attended.context.sizes(), (torch::IntArrayRef{0, kT, attention_->context_size()}));
  EXPECT_EQ(attended.weights.sizes(), (torch::IntArrayRef{0, kT, kS}));
}

TEST_P(AttentionContract, SelectedStatesGoOnAsTheirSentences) {
  const auto rows = torch::tensor({1, 1, 0}, torch::kInt64);
  const PreparedMemory prepared = attention_->prepare(memory_);
  const auto step = [&](int64_t t, const PreparedMemory& memory, const AttentionState& state,
                        const torch::Tensor& queries) {
    return attention_->attend(queries.slice(1, t, t + 1), memory, state, t, 0.0);
  };
  const Attended first = step(0, prepared, attention_->start(prepared), queries_);
  const Attended expected = step(1, prepared, first.state, queries_);
  const Attended selected =
      step(1, prepared.select(rows), first.state.select(rows), queries_.index_select(0, rows));
  EXPECT_THAT(flat(selected),
              TensorNear(at::cat({expected.context.index_select(0, rows).flatten(),
                                  expected.weights.index_select(0, rows).flatten()}),
                         1e-12));
}

TEST_P(AttentionContract, GivesTheSameAnswerTwice) {
  EXPECT_THAT(flat(run(*attention_, queries_, memory_)),
              TensorEq(flat(run(*attention_, queries_, memory_))));
}

TEST_P(AttentionContract, QueriesAtOnceEqualQueriesOneByOne) {
  const PreparedMemory prepared = attention_->prepare(memory_);
  EXPECT_THAT(
      flat(attend_all(*attention_, queries_, prepared, /*one_by_one=*/false)),
      TensorNear(flat(attend_all(*attention_, queries_, prepared, /*one_by_one=*/true)), 1e-12));
}

TEST_P(AttentionContract, GradientsMatchCentralDifferences) {
  const auto inputs = {queries_, memory_.keys, memory_.values};
  const auto function = [&] { return flat(run(*attention_, queries_, memory_)); };
  const auto all = test::leaves(*attention_, inputs);
  // A derivative along a direction may be small compared with its terms; then rounding errors weigh
  // more.
  if (GetParam().thorough) {
    EXPECT_LT(test::max_gradient_error(function, all), 1e-6);
  } else {
    EXPECT_LT(test::max_directional_error(function, all), 1e-5);
  }
}

TEST_P(AttentionContract, DropoutActsOnTheContextInTrainingOnly) {
  if (options_.distribution == DistributionKind::hard)
    return;  // it draws positions in training even without dropout
  torch::manual_seed(6);
  const PreparedMemory prepared = attention_->prepare(memory_);
  const auto with_dropout = [&] { return attend_all(*attention_, queries_, prepared, false, 0.5); };
  const auto expected = attend_all(*attention_, queries_, prepared, false);
  EXPECT_THAT(flat(with_dropout()), TensorEq(flat(expected)));
  attention_->train();
  const Attended trained = with_dropout();
  EXPECT_FALSE(torch::allclose(trained.context, expected.context));
  EXPECT_THAT(trained.weights, TensorNear(expected.weights, 1e-12));
}

TEST_P(AttentionContract, IsItsParametersAndNothingElse) {
  const auto other = make(8);
  for (const std::string& name : test::parameter_names(*attention_)) {
    test::set_parameter(*other, name, test::parameter(*attention_, name));
  }
  EXPECT_THAT(flat(run(*other, queries_, memory_)),
              TensorEq(flat(run(*attention_, queries_, memory_))));
}

TEST_P(AttentionContract, TakesASourceOfLengthOne) {
  const Memory single = memory({1, 1}, 1);
  const Attended attended = run(*attention_, queries_, single);
  EXPECT_EQ(attended.weights.sizes(), (torch::IntArrayRef{kB, kT, 1}));
  EXPECT_GT(attended.weights.min().item<double>(), 0.0);
  if (!rows_sum_to_one(options_)) return;
  EXPECT_THAT(attended.weights, TensorNear(torch::ones({kB, kT, 1}), 1e-12));
  if (options_.heads > 1) return;
  EXPECT_THAT(attended.context, TensorNear(single.values.expand({kB, kT, sizes_.memory}), 1e-12));
}

TEST_P(AttentionContract, ARowWithoutAnyPositionGivesZerosAndFiniteGradients) {
  Memory empty = memory({kS, 0}, kS);
  const auto all = test::leaves(*attention_, {queries_, empty.keys, empty.values});
  const Attended attended = run(*attention_, queries_, empty);
  EXPECT_THAT(attended.weights[1], TensorEq(torch::zeros({kT, kS})));
  EXPECT_THAT(attended.context[1], TensorEq(torch::zeros({kT, sizes_.memory})));
  flat(attended).square().sum().backward();
  for (const torch::Tensor& leaf : all) {
    if (leaf.grad().defined()) {
      EXPECT_TRUE(leaf.grad().isfinite().all().item<bool>());
    }
  }
  EXPECT_THAT(empty.values.grad()[1], TensorEq(torch::zeros({kS, sizes_.memory})));
}

TEST_P(AttentionContract, IsCloseInSinglePrecision) {
  const auto expected = flat(run(*attention_, queries_, memory_));
  attention_->to(torch::kFloat32);
  const Memory single{memory_.keys.to(torch::kFloat32), memory_.values.to(torch::kFloat32),
                      memory_.mask, memory_.lengths};
  const auto actual = flat(run(*attention_, queries_.to(torch::kFloat32), single));
  EXPECT_EQ(actual.scalar_type(), torch::kFloat32);
  EXPECT_THAT(actual, TensorNear(expected, 1e-4));
}

TEST_P(AttentionContract, ComputesOnAGpuWhatItComputesOnTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU here";
  const auto expected = flat(run(*attention_, queries_, memory_)).detach();
  attention_->to(torch::kCUDA);
  const Memory there{memory_.keys.to(torch::kCUDA), memory_.values.to(torch::kCUDA),
                     memory_.mask.to(torch::kCUDA), memory_.lengths.to(torch::kCUDA)};
  const auto actual = flat(run(*attention_, queries_.to(torch::kCUDA), there)).detach();
  EXPECT_TRUE(actual.is_cuda());
  EXPECT_THAT(actual.to(torch::kCPU), TensorNear(expected, 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Registry, AttentionContract, testing::ValuesIn(test::attention_cases()),
                         [](const auto& test_case) { return test_case.param.name; });

}  // namespace
}  // namespace attend::nn
