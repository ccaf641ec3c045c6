#include "nn/packed_weights.h"

#include <gtest/gtest.h>

#include "nn/attention/memory.h"
#include "nn/execution.h"
#include "nn/linear.h"
#include "nn/rnn/sequence.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

class Packed : public testing::Test {
 protected:
  void SetUp() override { torch::manual_seed(3); }

  [[nodiscard]] Execution with_packed() {
    Execution execution;
    execution.packed = &weights_;
    return execution;
  }

  PackedWeights weights_{kernels::WeightType::f32};
};

TEST_F(Packed, TakesThePlaceOfPlainWeightsInLinear) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor x = torch::randn({2, 3, 5}), weight = torch::randn({4, 5}),
                      bias = torch::randn({4}), sum = torch::randn({3, 4});
  const ExecutionScope scope(with_packed());
  ASSERT_NE(packed_for(x, weight), nullptr);
  EXPECT_TRUE(torch::allclose(nn::linear(x, weight, bias), at::linear(x, weight, bias)));
  EXPECT_TRUE(torch::allclose(linear_added(sum, x[1], weight), sum + at::linear(x[1], weight)));
}

TEST_F(Packed, TellsPartsOfAWeightFromTheWhole) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor x = torch::randn({3, 6}), weight = torch::randn({4, 6});
  const torch::Tensor left = weight.narrow(1, 0, 2), right = weight.narrow(1, 2, 4);
  const ExecutionScope scope(with_packed());
  const torch::Tensor sum =
      linear_added(nn::linear(x.narrow(1, 0, 2), left), x.narrow(1, 2, 4), right);
  EXPECT_TRUE(torch::allclose(sum, nn::linear(x, weight), 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(sum, at::linear(x, weight), 1e-5, 1e-6));
}

TEST_F(Packed, ProjectsDistinctVectorsOfALayer) {
  const torch::NoGradGuard no_gradients;
  const auto cell = make_cell(CellKind::lstm, 3, 4, /*layer_norm=*/false);
  test::randomize(*cell, 1);
  cell->to(torch::kFloat32);
  // 17 sequences, so that some rows of a step are unused.
  const torch::Tensor index = torch::arange(51, torch::kInt64).remainder(5).view({17, 3});
  const torch::Tensor lengths = torch::arange(17, torch::kInt64).remainder(3) + 1;
  const IndexedRows x(torch::randn({5, 3}), index);
  const auto outputs = [&](const Execution& execution) {
    const ExecutionScope scope(execution);
    return run_directions({{*cell, cell->start(17, x.rows), {}}}, x, lengths).outputs;
  };
  EXPECT_THAT(outputs(with_packed()), test::TensorNear(outputs({.fused = false}), 1e-5));
}

TEST_F(Packed, IsMadeOnce) {
  const torch::Tensor weight = torch::randn({4, 6});
  EXPECT_EQ(&weights_.of(weight), &weights_.of(weight));
  EXPECT_NE(&weights_.of(weight), &weights_.of(weight.narrow(0, 0, 3)));
}

TEST_F(Packed, StaysOutOfTrainingAndOfDoubles) {
  const torch::Tensor x = torch::randn({3, 6}), weight = torch::randn({4, 6});
  const ExecutionScope scope(with_packed());
  EXPECT_EQ(packed_for(x, weight), nullptr);  // gradients are recorded
  const torch::NoGradGuard no_gradients;
  EXPECT_NE(packed_for(x, weight), nullptr);
  EXPECT_EQ(packed_for(x.to(torch::kFloat64), weight.to(torch::kFloat64)), nullptr);
  EXPECT_EQ(packed_for(x, weight.t()), nullptr);
}

// Two sentences. The readers 0 and 1 become three readers of the sentences 1, 0 and 1.
TEST(SharedMemory, SpreadsToWhatSelectingGives) {
  const torch::Tensor states = torch::randn({2, 3, 4});
  const torch::Tensor mask = torch::tensor({true, true, true, true, false, false}).view({2, 3});
  const PreparedMemory memory{{states, states, mask, torch::tensor({3, 1})}, states * 2, {}, {}};
  const torch::Tensor rows = torch::tensor({1, 0, 1});
  const PreparedMemory expected = memory.select(rows);
  const PreparedMemory shared = memory.with_owners().select(rows);
  EXPECT_TRUE(shared.keys.is_same(memory.keys));
  const PreparedMemory spread = shared.copy_per_reader();
  EXPECT_TRUE(spread.keys.equal(expected.keys));
  EXPECT_TRUE(spread.memory.mask.equal(expected.memory.mask));
  EXPECT_TRUE(spread.memory.lengths.equal(expected.memory.lengths));
  EXPECT_FALSE(spread.owners.defined());
}

}  // namespace
}  // namespace attend::nn
