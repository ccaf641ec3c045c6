#include "model/recurrent/recurrent_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::random_f64;
using test::TensorEq;

constexpr int64_t kTracedRows = 2, kTracedSteps = 3, kTracedSlots = 5, kTracedSize = 4;

/// A decoder of one cell, whose memory counts its steps.
class CountingWiring final : public Wiring {
 public:
  static constexpr bool kAttends = false;

  CountingWiring()
      : Wiring(DropoutOptions()),
        cell_(add("cell",
                  nn::make_cell(nn::CellKind::ntm, kTracedSize, kTracedSize, /*layer_norm=*/false,
                                {kTracedSlots, 3, 2, nn::Controller::lstm}))) {}

  [[nodiscard]] WiringStep advance(const torch::Tensor& projected, const nn::PreparedMemory&,
                                   const RecurrentState& state, const LayerMasks&) const override {
    ++steps;
    const nn::CellState next = cell_->step(projected, state.layers.front(), {});
    return {next.hidden, {}, {}, {}, {{next}, {}, {}, state.position + 1}, {}};
  }
  [[nodiscard]] torch::Tensor readout(const nn::IndexedRows&, const torch::Tensor& hidden,
                                      const torch::Tensor&) const override {
    return hidden;
  }
  [[nodiscard]] int64_t output_size() const override { return kTracedSize; }

  mutable int64_t steps = 0;

 private:
  std::shared_ptr<nn::RnnCell> cell_;
};

TEST(RecurrentDecoder, TracesADecoderWithAMemoryInOnePass) {
  const torch::NoGradGuard no_grad;
  ModelOptions options;
  auto& recurrent = std::get<RecurrentDecoderOptions>(options.decoder);
  recurrent.bridge = BridgeKind::zero;
  recurrent.hidden = kTracedSize;
  const auto wiring = std::make_shared<CountingWiring>();
  const RecurrentDecoder decoder(options, EncoderShape{kTracedSize}, wiring);
  test::randomize(*wiring, 3);
  wiring->eval();
  const auto lengths = torch::tensor({3, 2}, torch::kInt64);
  const Encoded encoded = decoder.start({{random_f64({kTracedRows, kTracedSteps, kTracedSize}, 1),
                                          lengths,
                                          test::mask_of(lengths, kTracedSteps),
                                          {}}});
  const nn::IndexedRows embedded(random_f64({kTracedRows, kTracedSteps, kTracedSize}, 2));

  const TracedDecoding traced = decoder.trace(embedded, lengths, encoded);
  EXPECT_EQ(wiring->steps, kTracedSteps);
  EXPECT_THAT(traced.memory,
              testing::ElementsAre(testing::ResultOf(
                  [](const torch::Tensor& heads) { return heads.sizes().vec(); },
                  testing::ElementsAre(kTracedRows, 3, kTracedSteps, kTracedSlots))));
  EXPECT_THAT(traced.decoded.outputs, TensorEq(decoder.decode(embedded, lengths, encoded).outputs));
}

}  // namespace
}  // namespace attend::model
