#include "model/recurrent/recurrent_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::parameter;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kB = 2, kS = 5, kE = 3, kH = 4;

RecurrentEncoderOptions options_of(CellKind cell, int64_t layers, bool bidirectional) {
  RecurrentEncoderOptions options;
  options.cell = cell;
  options.hidden = kH;
  options.layers = layers;
  options.bidirectional = bidirectional;
  return options;
}

std::shared_ptr<RecurrentEncoder> make(const RecurrentEncoderOptions& options) {
  auto encoder = std::make_shared<RecurrentEncoder>(options, DropoutOptions(), kE);
  test::randomize(*encoder, 3);
  return encoder;
}

EncoderOutput encode(const RecurrentEncoder& encoder, const torch::Tensor& x,
                     const std::vector<int64_t>& lengths) {
  const auto real = torch::tensor(lengths, torch::kInt64);
  return encoder.forward(x, real, test::mask_of(real, x.size(1)));
}

/// LibTorch's order: W_x, W_h, b_x, b_h for each layer, forward before backward.
std::vector<torch::Tensor> lstm_weights(const RecurrentEncoder& encoder, int64_t layers) {
  std::vector<torch::Tensor> weights;
  for (int64_t i = 0; i < layers; ++i) {
    for (const char* direction : {"_forward.", "_backward."}) {
      const std::string cell = "layer" + std::to_string(i) + direction;
      weights.push_back(parameter(encoder, cell + "input_weight"));
      weights.push_back(parameter(encoder, cell + "recurrent_weight"));
      weights.push_back(parameter(encoder, cell + "bias"));
      weights.push_back(torch::zeros_like(weights.back()));
    }
  }
  return weights;
}

TEST(RecurrentEncoder, EqualsTorchLstmInBothDirectionsOverTwoLayers) {
  const auto encoder = make(options_of(CellKind::lstm, 2, true));
  const auto x = random_f64({kB, kS, kE}, 4);
  const auto zeros = torch::zeros({4, kB, kH}, torch::kFloat64);
  const auto [outputs, hidden, cell] =
      at::lstm(x, {zeros, zeros}, lstm_weights(*encoder, 2), /*has_biases=*/true,
               /*num_layers=*/2, /*dropout=*/0.0, /*train=*/false, /*bidirectional=*/true,
               /*batch_first=*/true);
  const EncoderOutput ours = encode(*encoder, x, {kS, kS});
  EXPECT_EQ(encoder->output_size(), 2 * kH);
  EXPECT_THAT(ours.outputs, TensorNear(outputs, 1e-12));
  ASSERT_EQ(ours.summary.size(), 2U);
  for (int64_t i = 0; i < 2; ++i) {
    const auto& last = ours.summary[static_cast<std::size_t>(i)];
    EXPECT_THAT(last.hidden, TensorNear(at::cat({hidden[2 * i], hidden[2 * i + 1]}, 1), 1e-12));
    EXPECT_THAT(last.cell, TensorNear(at::cat({cell[2 * i], cell[2 * i + 1]}, 1), 1e-12));
  }
}

TEST(RecurrentEncoder, ReadsEachRaggedRowAsIfAlone) {
  const auto encoder = make(options_of(CellKind::gru, 2, true));
  const auto x = random_f64({kB, kS, kE}, 4);
  const EncoderOutput together = encode(*encoder, x, {3, kS});
  const EncoderOutput alone = encode(*encoder, x.slice(0, 0, 1).slice(1, 0, 3), {3});
  EXPECT_THAT(together.outputs[0].slice(0, 0, 3), TensorNear(alone.outputs[0], 1e-12));
  EXPECT_THAT(together.summary[1].hidden[0], TensorNear(alone.summary[1].hidden[0], 1e-12));
}

TEST(RecurrentEncoder, IsZeroOnPadding) {
  const auto encoder = make(options_of(CellKind::lstm, 1, true));
  const EncoderOutput output = encode(*encoder, random_f64({kB, kS, kE}, 4), {3, kS});
  EXPECT_THAT(output.outputs[0].slice(0, 3), TensorEq(torch::zeros({kS - 3, 2 * kH})));
  EXPECT_GT(output.outputs[1].slice(0, 3).abs().min().item<double>(), 0.0);
}

/// Output of one direction of layer `i` for x, checked against LibTorch in other tests.
torch::Tensor layer_output(const RecurrentEncoder& encoder, int64_t i, const torch::Tensor& x) {
  const auto cell = nn::make_cell(CellKind::gru, x.size(2), kH, false);
  const std::string prefix = "layer" + std::to_string(i) + "_forward.";
  cell->to(torch::kFloat64);
  for (const std::string& name : test::parameter_names(*cell)) {
    test::set_parameter(*cell, name, parameter(encoder, prefix + name));
  }
  return nn::run_directions({{*cell, cell->start(x.size(0), x), {}}}, x,
                            torch::full({x.size(0)}, x.size(1), torch::kInt64))
      .outputs;
}

TEST(RecurrentEncoder, AddsResidualsFromTheSecondLayerOn) {
  RecurrentEncoderOptions options = options_of(CellKind::gru, 3, false);
  options.residual = true;
  const auto encoder = make(options);
  const auto x = random_f64({kB, kS, kE}, 4);
  auto expected = layer_output(*encoder, 0, x);
  expected = expected + layer_output(*encoder, 1, expected);
  expected = expected + layer_output(*encoder, 2, expected);
  EXPECT_THAT(encode(*encoder, x, {kS, kS}).outputs, TensorNear(expected, 1e-12));
}

}  // namespace
}  // namespace attend::model
