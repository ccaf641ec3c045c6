#include "model/recurrent/bridge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::parameter;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kB = 2, kS = 5, kC = 6, kH = 4;

/// Last states of two layers, and outputs of lengths 5 and 3, zero on padding.
EncoderOutput encoded(bool with_cell) {
  const auto lengths = torch::tensor({5, 3}, torch::kInt64);
  const auto mask = test::mask_of(lengths, kS);
  EncoderOutput output{random_f64({kB, kS, kC}, 1) * mask.unsqueeze(2), lengths, mask, {}};
  for (uint64_t i = 0; i < 2; ++i) {
    output.summary.push_back(
        {random_f64({kB, kC}, 10 + i), with_cell ? random_f64({kB, kC}, 20 + i) : torch::Tensor()});
  }
  return output;
}

std::shared_ptr<Bridge> make(BridgeKind kind, CellKind cell) {
  RecurrentDecoderOptions options;
  options.bridge = kind;
  options.layers = 2;
  options.hidden = kH;
  auto bridge = std::make_shared<Bridge>(options, EncoderShape{kC, true}, cell == CellKind::lstm);
  test::randomize(*bridge, 3);
  return bridge;
}

/// Default first state of a decoder's cell.
nn::CellState nothing(CellKind cell) {
  return nn::make_cell(cell, kC, kH, false)->start(kB, random_f64({1}, 1));
}

torch::Tensor affine(const Bridge& bridge, const std::string& block, const torch::Tensor& x) {
  return at::matmul(x, parameter(bridge, block + ".weight").t()) +
         parameter(bridge, block + ".bias");
}

TEST(Bridge, ZeroIsZeroInEveryLayer) {
  const auto bridge = make(BridgeKind::zero, CellKind::lstm);
  const auto states = bridge->forward(encoded(true), nothing(CellKind::lstm));
  ASSERT_EQ(states.size(), 2U);
  for (const nn::CellState& state : states) {
    EXPECT_THAT(state.hidden, TensorEq(torch::zeros({kB, kH})));
    EXPECT_THAT(state.cell, TensorEq(torch::zeros({kB, kH})));
  }
  EXPECT_THAT(test::parameter_names(*bridge), testing::IsEmpty());
}

TEST(Bridge, CopyHandsLayersOverOneByOne) {
  const EncoderOutput from = encoded(true);
  const auto states =
      make(BridgeKind::copy, CellKind::lstm)->forward(from, nothing(CellKind::lstm));
  ASSERT_EQ(states.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(states[i].hidden, TensorEq(from.summary[i].hidden));
    EXPECT_THAT(states[i].cell, TensorEq(from.summary[i].cell));
  }
}

TEST(Bridge, LastMapsTheTopLayersLastStates) {
  const EncoderOutput from = encoded(true);
  const auto bridge = make(BridgeKind::last, CellKind::lstm);
  const auto states = bridge->forward(from, nothing(CellKind::lstm));
  ASSERT_EQ(states.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    EXPECT_THAT(
        states[i].hidden,
        TensorNear(affine(*bridge, layer + "_hidden", from.summary[1].hidden).tanh(), 1e-12));
    EXPECT_THAT(states[i].cell,
                TensorNear(affine(*bridge, layer + "_cell", from.summary[1].cell), 1e-12));
  }
}

TEST(Bridge, LastReadsTheHiddenStateForBothPartsWhereTheEncoderHasNoCell) {
  const EncoderOutput from = encoded(false);
  const auto bridge = make(BridgeKind::last, CellKind::lstm);
  EXPECT_THAT(bridge->forward(from, nothing(CellKind::lstm))[1].cell,
              TensorNear(affine(*bridge, "layer1_cell", from.summary[1].hidden), 1e-12));
}

// Row 0 has five positions, row 1 three without its padding.
TEST(Bridge, MeanMapsTheMeanOfRealPositions) {
  const EncoderOutput from = encoded(true);
  const auto bridge = make(BridgeKind::mean, CellKind::gru);
  const auto mean = at::stack({from.outputs[0].mean(0), from.outputs[1].slice(0, 0, 3).mean(0)});
  const auto states = bridge->forward(from, nothing(CellKind::gru));
  ASSERT_EQ(states.size(), 2U);
  EXPECT_THAT(states[0].hidden, TensorNear(affine(*bridge, "layer0_hidden", mean).tanh(), 1e-12));
  EXPECT_THAT(states[1].hidden, TensorNear(affine(*bridge, "layer1_hidden", mean).tanh(), 1e-12));
  EXPECT_FALSE(states[0].cell.defined());
}

// Decoder and encoder both have a memory. It is not a vector, so the bridge maps only hidden
// states, and the decoder's memory starts empty.
TEST(Bridge, LeavesAMemoryEmptyThatIsNotHandedOver) {
  RecurrentDecoderOptions options;
  options.hidden = kH;
  Bridge bridge(options, EncoderShape{kC, true}, /*has_cell=*/false);
  test::randomize(bridge, 3);
  EncoderOutput from = encoded(true);
  from.summary.back().cell = random_f64({kB, 99}, 4);
  const nn::CellState empty = nothing(CellKind::ntm);
  const auto states = bridge.forward(from, empty);
  ASSERT_EQ(states.size(), 1U);
  EXPECT_THAT(states[0].hidden,
              TensorNear(affine(bridge, "layer0_hidden", from.summary[1].hidden).tanh(), 1e-12));
  EXPECT_THAT(states[0].cell, TensorEq(empty.cell));
}

TEST(Bridge, ReadsTheHiddenStateOfAnEncoderWithAMemory) {
  EncoderOutput from = encoded(false);
  const auto bridge = make(BridgeKind::last, CellKind::lstm);
  const auto expected = bridge->forward(from, nothing(CellKind::lstm));
  from.summary.back().cell = random_f64({kB, 99}, 4);
  EXPECT_THAT(bridge->forward(from, nothing(CellKind::lstm))[1].cell, TensorEq(expected[1].cell));
}

TEST(Bridge, NamesTheKindsThatDoWithoutLastStates) {
  RecurrentDecoderOptions options;
  for (const BridgeKind kind : {BridgeKind::last, BridgeKind::copy}) {
    options.bridge = kind;
    EXPECT_THAT(
        [&] {
          Bridge(options, {kC, /*has_summary=*/false}, true);
        },
        testing::ThrowsMessage<ConfigError>(
            testing::AllOf(testing::HasSubstr(fmt::format("bridge: {}", kind)),
                           testing::HasSubstr("choose mean or zero"))));
  }
  for (const BridgeKind kind : {BridgeKind::mean, BridgeKind::zero}) {
    options.bridge = kind;
    EXPECT_NO_THROW(Bridge(options, {kC, /*has_summary=*/false}, true)) << enum_name(kind);
  }
}

}  // namespace
}  // namespace attend::model
