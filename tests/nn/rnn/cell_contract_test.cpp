// Contract of every recurrent cell of the registry, with and without layer normalisation.
#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <tuple>

#include "nn/rnn/sequence.h"
#include "tests/nn/rnn/memory_cases.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::parameter;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kN = 3, kT = 5, kI = 2, kH = 4;

class CellContract : public testing::TestWithParam<std::tuple<CellKind, bool>> {
 protected:
  static std::shared_ptr<RnnCell> make(uint64_t seed = 3) {
    auto cell =
        make_cell(std::get<0>(GetParam()), kI, kH, std::get<1>(GetParam()), test::small_memory());
    test::randomize(*cell, seed);
    return cell;
  }

  CellState start(uint64_t seed = 5) const {
    if (const auto* memory = dynamic_cast<const MemoryCell*>(cell_.get())) {
      return test::random_state(*memory, test::small_memory(), kN,
                                std::get<0>(GetParam()) == CellKind::dnc, seed);
    }
    return {random_f64({kN, kH}, seed),
            cell_->has_cell() ? random_f64({kN, kH}, seed + 1) : torch::Tensor()};
  }

  SequenceOutput run(const RnnCell& cell, const torch::Tensor& x) const {
    return run_directions({{cell, start(), {}}}, x, lengths_);
  }

  std::shared_ptr<RnnCell> cell_ = make();
  torch::Tensor x_ = random_f64({kN, kT, kI}, 4);
  torch::Tensor lengths_ = torch::tensor({3, 5, 1}, torch::kInt64);
};

/// All defined tensors of an output as one vector, without padding.
torch::Tensor flat(const SequenceOutput& output, const torch::Tensor& lengths) {
  const auto mask = test::mask_of(lengths, output.outputs.size(1));
  std::vector<torch::Tensor> parts{output.outputs.index({mask}).flatten(),
                                   output.last.hidden.flatten()};
  if (output.last.cell.defined()) parts.push_back(output.last.cell.flatten());
  return at::cat(parts);
}

TEST_P(CellContract, HasTheDeclaredShapes) {
  const CellState next = cell_->step(cell_->project(x_.select(1, 0)), start(), {});
  EXPECT_EQ(cell_->hidden_size(), kH);
  EXPECT_EQ(cell_->project(x_).sizes(), (torch::IntArrayRef{kN, kT, cell_->projection_size()}));
  EXPECT_EQ(next.hidden.sizes(), (torch::IntArrayRef{kN, kH}));
  ASSERT_EQ(next.cell.defined(), cell_->has_cell());
  EXPECT_EQ(cell_->has_memory(), cell_has_memory(std::get<0>(GetParam())));
  if (cell_->has_cell()) {
    EXPECT_EQ(next.cell.size(1) != kH, cell_->has_memory());
    EXPECT_EQ(next.cell.sizes(), start().cell.sizes());
    EXPECT_EQ(next.cell.sizes(), cell_->start(kN, x_).cell.sizes());
  }
}

TEST_P(CellContract, SequenceEqualsItsSteps) {
  const auto all = run(*cell_, x_);
  CellState state = start();
  for (int64_t t = 0; t < kT; ++t) {
    state = cell_->step(cell_->project(x_.select(1, t)), state, {});
    const auto real = lengths_.gt(t).unsqueeze(1);
    EXPECT_THAT(all.outputs.select(1, t), TensorNear(state.hidden * real, 1e-12)) << "step " << t;
    for (int64_t n = 0; n < kN; ++n) {
      if (lengths_[n].item<int64_t>() != t + 1) continue;
      EXPECT_THAT(all.last.hidden[n], TensorNear(state.hidden[n], 1e-12)) << "row " << n;
      if (cell_->has_cell()) {
        EXPECT_THAT(all.last.cell[n], TensorNear(state.cell[n], 1e-12));
      }
    }
  }
}

TEST_P(CellContract, PaddingChangesNothing) {
  const auto garbage = 100 * random_f64({kN, 2, kI}, 9);
  const auto hidden = test::mask_of(lengths_, kT).unsqueeze(2);
  const auto padded = at::cat({torch::where(hidden, x_, 50 - x_), garbage}, 1);
  EXPECT_THAT(flat(run(*cell_, padded), lengths_),
              TensorNear(flat(run(*cell_, x_), lengths_), 1e-12));
}

TEST_P(CellContract, PermutingTheRowsPermutesTheResult) {
  const auto order = torch::tensor({2, 0, 1}, torch::kInt64);
  const auto permuted = run_directions({{*cell_, start().select(order), {}}},
                                       x_.index_select(0, order), lengths_.index_select(0, order));
  const auto straight = run(*cell_, x_);
  EXPECT_THAT(permuted.outputs, TensorNear(straight.outputs.index_select(0, order), 1e-12));
  EXPECT_THAT(permuted.last.hidden, TensorNear(straight.last.hidden.index_select(0, order), 1e-12));
}

TEST_P(CellContract, GradientsMatchCentralDifferences) {
  CellState first = start();
  std::vector<torch::Tensor> inputs{x_, first.hidden};
  if (cell_->has_cell()) inputs.push_back(first.cell);
  const auto mask = random_f64({kN, kH}, 11);
  const auto function = [&] {
    return flat(run_directions({{*cell_, first, mask}}, x_, lengths_), lengths_);
  };
  EXPECT_LT(test::max_gradient_error(function, test::leaves(*cell_, inputs)), 1e-6);
}

TEST_P(CellContract, AnUnitMaskIsNone) {
  const auto ones = torch::ones({kN, kH}, torch::kFloat64);
  EXPECT_THAT(flat(run_directions({{*cell_, start(), ones}}, x_, lengths_), lengths_),
              TensorNear(flat(run(*cell_, x_), lengths_), 1e-12));
}

TEST_P(CellContract, StartsWithOrthogonalRecurrentMatrices) {
  for (const auto& module : cell_->modules()) {
    dynamic_cast<Block&>(*module).initialize(at::detail::createCPUGenerator(1));
  }
  const auto identity = torch::eye(kH, torch::kFloat64);
  int64_t found = 0;
  for (const std::string& name : test::parameter_names(*cell_)) {
    if (!name.ends_with("recurrent_weight")) continue;
    ++found;
    for (const torch::Tensor& gate : parameter(*cell_, name).split(kH, 0)) {
      EXPECT_THAT(at::mm(gate, gate.t()), TensorNear(identity, 1e-12));
    }
  }
  EXPECT_EQ(found > 0, cell_has_recurrent_weights(std::get<0>(GetParam())));
}

TEST_P(CellContract, InitializeSetsEveryParameterFromTheGenerator) {
  const auto other = make(/*seed=*/8);
  for (RnnCell* cell : {cell_.get(), other.get()}) {
    uint64_t stream = 1;
    for (const auto& module : cell->modules()) {
      auto* block = dynamic_cast<Block*>(module.get());
      ASSERT_NE(block, nullptr);
      block->initialize(at::detail::createCPUGenerator(stream++));
    }
  }
  for (const std::string& name : test::parameter_names(*cell_)) {
    EXPECT_THAT(parameter(*cell_, name), TensorEq(parameter(*other, name))) << name;
  }
}

TEST_P(CellContract, IsItsParametersAndNothingElse) {
  const auto other = make(/*seed=*/8);
  for (const std::string& name : test::parameter_names(*cell_)) {
    test::set_parameter(*other, name, parameter(*cell_, name));
  }
  EXPECT_THAT(flat(run(*other, x_), lengths_), TensorEq(flat(run(*cell_, x_), lengths_)));
}

TEST_P(CellContract, IsCloseInSinglePrecision) {
  const auto expected = flat(run(*cell_, x_), lengths_);
  cell_->to(torch::kFloat32);
  CellState single = start();
  single.hidden = single.hidden.to(torch::kFloat32);
  if (cell_->has_cell()) single.cell = single.cell.to(torch::kFloat32);
  const auto actual = run_directions({{*cell_, single, {}}}, x_.to(torch::kFloat32), lengths_);
  EXPECT_EQ(actual.outputs.scalar_type(), torch::kFloat32);
  EXPECT_THAT(flat(actual, lengths_), TensorNear(expected, 1e-4));
}

INSTANTIATE_TEST_SUITE_P(Registry, CellContract,
                         testing::Combine(testing::ValuesIn(enum_values<CellKind>()),
                                          testing::Bool()),
                         [](const auto& test_case) {
                           return std::string(enum_name(std::get<0>(test_case.param))) +
                                  (std::get<1>(test_case.param) ? "_layer_norm" : "");
                         });

TEST(CellRegistry, HoldsTheNamesOfTheContract) {
  EXPECT_THAT(enum_names<CellKind>(),
              testing::IsSupersetOf({"dnc", "gru", "lstm", "mingru", "ntm"}));
}

}  // namespace
}  // namespace attend::nn
