// Encoders that are not in the registry, combined with a recurrent decoder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "model/registry.h"
#include "nn/linear.h"
#include "nn/shape.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::TensorNear;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int64_t kC = 6;

/// Applies a layer to each word separately and returns the result as `levels` memories. It has no
/// last states.
class WordEncoder final : public Encoder {
 public:
  WordEncoder(int64_t embedding, int64_t levels)
      : levels_(levels),
        linear_(register_module("linear", std::make_shared<nn::Linear>(embedding, kC))) {}

  [[nodiscard]] std::vector<EncoderOutput> encode(
      const nn::IndexedRows& embedded, const data::SentenceBatch& source) const override {
    const torch::Tensor outputs = linear_->forward(embedded.all()) * source.mask.unsqueeze(2);
    return std::vector<EncoderOutput>(static_cast<std::size_t>(levels_),
                                      {outputs, source.lengths, source.mask});
  }
  [[nodiscard]] std::vector<EncoderShape> shapes() const override {
    return std::vector<EncoderShape>(static_cast<std::size_t>(levels_), {kC});
  }

 private:
  int64_t levels_;
  std::shared_ptr<nn::Linear> linear_;
};

ModelOptions options_with(BridgeKind bridge) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  test::recurrent_decoder(options).bridge = bridge;
  return options;
}

std::shared_ptr<Seq2Seq> model_of(const ModelOptions& options, int64_t levels = 1) {
  auto model = std::make_shared<Seq2Seq>(options, test::kSourceVocabulary, test::kTargetVocabulary,
                                         std::make_shared<WordEncoder>(options.embedding, levels));
  test::randomize(*model, 3);
  model->eval();
  return model;
}

TEST(AnotherEncoder, FeedsTheRecurrentDecoder) {
  const auto model = model_of(options_with(BridgeKind::mean));
  EXPECT_THAT(test::parameter_names(*model),
              AllOf(Contains("encoder.linear.weight"), Contains("bridge.layer0_cell.weight"),
                    Contains("decoder.attention.score.vector")));
  EXPECT_THAT(model->plain_parts(), testing::IsEmpty());
  const auto loss = [&] { return test::mean_loss(*model, test::three_pairs()); };
  EXPECT_LT(test::max_directional_error(loss, test::leaves(*model)), 1e-6);
}

TEST(AnotherEncoder, StepsAsItDecodes) {
  const auto model = model_of(options_with(BridgeKind::zero));
  const test::Pairs pairs = test::three_pairs();
  const Encoded encoded = model->encode(pairs.source);
  const torch::Tensor expected =
      test::log_probs(*model, model->decode(encoded, pairs.target_input));
  const Predicted first =
      model->step(pairs.target_input.ids.select(1, 0), encoded.memories, encoded.start);
  EXPECT_THAT(first.logits.log_softmax(1), TensorNear(expected.select(1, 0), 1e-12));
  const Predicted second =
      model->step(pairs.target_input.ids.select(1, 1), encoded.memories, first.state);
  EXPECT_THAT(second.logits.log_softmax(1), TensorNear(expected.select(1, 1), 1e-12));
}

TEST(AnotherEncoder, WithoutLastStatesDoesNotSuitABridgeThatReadsThem) {
  EXPECT_THAT([] { (void)model_of(options_with(BridgeKind::last)); },
              ThrowsMessage<ConfigError>(HasSubstr("model.decoder.bridge: last")));
}

TEST(AnotherEncoder, WithTwoMemoriesDoesNotSuitTheRecurrentDecoder) {
  EXPECT_THAT(
      [] { (void)model_of(options_with(BridgeKind::mean), 2); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("model.decoder.type: recurrent reads one memory"),
                                       HasSubstr("gives 2"))));
}

TEST(Registry, KnowsBeforeAModelIsMadeWhatItWillSay) {
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    const ModelOptions options = test::small_options(wiring, CellKind::gru);
    EXPECT_EQ(attends(options), test::small_model(options)->attends()) << enum_name(wiring);
  }
}

}  // namespace
}  // namespace attend::model
