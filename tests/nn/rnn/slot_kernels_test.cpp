// The kernels of the DNC against plain operations and central differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/execution.h"
#include "nn/fused/slot_allocation.h"
#include "nn/fused/slot_links.h"
#include "nn/rnn/dnc_cell.h"
#include "tests/nn/rnn/memory_cases.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::random_f64;
using test::TensorNear;

// Slots that do not fill whole vector registers, and more rows than one thread takes at a time.
constexpr int64_t kManyRows = 6, kManySlots = 19, kReadHeads = 2;
const MemoryOptions kManyOptions{kManySlots, 3, kReadHeads, "lstm"};

/// A write to slot 2, where the last write was to slot 1: w = (0, 0.2, 0.8), p = (0, 1, 0), and
/// L'[1, 0] = 0.5 before. Then L[1, 0] = (1 - 0.2) 0.5, L[2, 1] = 0.8, and the diagonal stays 0.
TEST(SlotLinks, FollowTheOrderOfWritingByHand) {
  const fused::LinkedSlots linked =
      fused::slot_links({f64({0, 0, 0, 0.5, 0, 0, 0, 0, 0}, {1, 3, 3}), f64({0, 0.2, 0.8}, {1, 3}),
                         f64({0, 1, 0}, {1, 3})},
                        f64({0.25, 0.75, 0}, {1, 1, 3}));
  EXPECT_THAT(linked.links, TensorNear(f64({0, 0, 0, 0.4, 0, 0, 0, 0.8, 0}, {1, 3, 3}), 1e-12));
  EXPECT_THAT(linked.on, TensorNear(f64({0, 0.4 * 0.25, 0.8 * 0.75}, {1, 1, 3}), 1e-12));
  EXPECT_THAT(linked.back, TensorNear(f64({0.4 * 0.75, 0, 0}, {1, 1, 3}), 1e-12));
}

TEST(SlotLinks, HaveTheGradientsOfCentralDifferences) {
  const MemoryState state = test::random_memory(kManyOptions, 2, true, 7);
  const torch::Tensor write = random_f64({2, kManySlots}, 3).softmax(1) * 0.9;
  const std::vector<torch::Tensor> leaves{
      state.link.detach().requires_grad_(), write.detach().requires_grad_(),
      state.precedence.detach().requires_grad_(), state.read_weights.detach().requires_grad_()};
  const auto all = [&] {
    const auto linked = fused::slot_links({leaves[0], leaves[1], leaves[2]}, leaves[3]);
    return at::cat({linked.links.flatten(), linked.on.flatten(), linked.back.flatten()});
  };
  EXPECT_LT(test::max_gradient_error(all, leaves), 1e-7);
}

// Sorted usages 0.1, 0.5, 0.8: 0.9, 0.5 * 0.1, 0.2 * 0.05.
TEST(SlotAllocation, TakesTheLeastUsedFirstByHand) {
  EXPECT_THAT(fused::slot_allocation(f64({0.5, 0.1, 0.8}, {1, 3})),
              TensorNear(f64({0.05, 0.9, 0.01}, {1, 3}), 1e-12));
}

TEST(SlotAllocation, HasTheGradientOfCentralDifferences) {
  const torch::Tensor usage =
      random_f64({kManyRows, kManySlots}, 5).sigmoid().detach().requires_grad_();
  EXPECT_LT(test::max_gradient_error([&] { return fused::slot_allocation(usage); }, {usage}), 1e-7);
}

// d/du_0 of (1 - u_0) + (1 - u_1) u_0 is -u_1, however small usages are.
TEST(SlotAllocation, HasAFiniteGradientWhereNothingIsUsed) {
  const torch::Tensor usage = torch::full({1, 64}, 1e-6, torch::kFloat32).requires_grad_();
  const torch::Tensor weights = fused::slot_allocation(usage);
  (weights[0][0] + weights[0][1]).backward();
  EXPECT_NEAR(usage.grad()[0][0].item<float>(), -1e-6, 1e-7);
  EXPECT_TRUE(usage.grad().isfinite().all().item<bool>());
}

/// Gradients of the sum of squares after three steps of a cell, followed by the last state.
std::vector<torch::Tensor> three_steps(const DncCell& cell, const CellState& start, bool kernels) {
  const ExecutionScope scope(Execution{.fused = kernels});
  torch::Tensor x = random_f64({3, kManyRows, 5}, 9).to(start.hidden.scalar_type());
  const std::vector<torch::Tensor> leaves =
      test::leaves(cell, {x, start.hidden.detach(), start.cell.detach()});
  CellState state{leaves[leaves.size() - 2], leaves.back()};
  for (const torch::Tensor& step : leaves[leaves.size() - 3].unbind(0)) {
    state = cell.step(cell.project(step), state, {});
  }
  const torch::Tensor sum = state.hidden.square().sum() + state.cell.square().sum();
  std::vector<torch::Tensor> results = torch::autograd::grad({sum}, leaves);
  results.push_back(state.hidden.detach());
  results.push_back(state.cell.detach());
  return results;
}

class SlotKernels : public testing::TestWithParam<torch::ScalarType> {};

TEST_P(SlotKernels, StepAsOperationByOperation) {
  DncCell cell(5, 6, false, kManyOptions);
  test::randomize(cell, 3);
  CellState start = test::random_state(cell, kManyOptions, kManyRows, true, 7);
  cell.to(GetParam());
  start = {start.hidden.to(GetParam()), start.cell.to(GetParam())};
  const auto by_kernels = three_steps(cell, start, true), plain = three_steps(cell, start, false);
  const double tolerance = GetParam() == torch::kFloat64 ? 1e-11 : 2e-4;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_THAT(by_kernels[i], TensorNear(plain[i], tolerance)) << "result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SlotKernels, testing::Values(torch::kFloat64, torch::kFloat32),
                         [](const auto& test_case) {
                           return test_case.param == torch::kFloat64 ? "f64" : "f32";
                         });

}  // namespace
}  // namespace attend::nn
