// Single steps of transformer decoders in search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "model/transformer/transformer_state.h"
#include "nn/execution.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::TensorNear;
using torch::Tensor;

constexpr nn::Execution kPlainSteps{.fused = false};

/// Logits after four words, with the hypotheses reordered after each. Where `is_plain`, plain
/// operations process the word.
Tensor last_logits(const Seq2Seq& model, const std::vector<bool>& is_plain) {
  const torch::NoGradGuard no_grad;
  const Encoded encoded = model.encode(test::three_pairs().source);
  Memories memories = with_owners(encoded.memories);
  DecoderState state = encoded.start;
  Tensor logits;
  for (std::size_t t = 0; t < is_plain.size(); ++t) {
    const nn::ExecutionScope scope({.fused = !is_plain[t]});
    const Tensor tokens = (torch::arange(3) + static_cast<int64_t>(t)).remainder(7) + 1;
    Predicted predicted = model.step(tokens, memories, state);
    logits = predicted.logits;
    const Tensor parents = torch::tensor({1, 1, 0}, torch::kInt64);
    state = predicted.state.reorder(parents);
    memories = select(memories, parents);
  }
  return logits;
}

template <class Decoder>
class TransformerSteps : public testing::Test {
 protected:
  std::shared_ptr<Seq2Seq> model_ =
      test::small_model(test::transformer_options(TransformerEncoderOptions(), Decoder()));
};

using StackDecoders = testing::Types<TransformerDecoderOptions, SsruDecoderOptions,
                                     GruDecoderOptions, LstmDecoderOptions>;
TYPED_TEST_SUITE(TransformerSteps, StackDecoders);

TYPED_TEST(TransformerSteps, AreThePlainOnesHoweverTheyTakeTurns) {
  const Tensor plain = last_logits(*this->model_, {true, true, true, true});
  EXPECT_THAT(last_logits(*this->model_, {false, false, false, false}), TensorNear(plain, 1e-11));
  EXPECT_THAT(last_logits(*this->model_, {false, false, true, false}), TensorNear(plain, 1e-11));
  EXPECT_THAT(last_logits(*this->model_, {true, false, false, true}), TensorNear(plain, 1e-11));
}

TYPED_TEST(TransformerSteps, MoveNoKeysAndValuesWhereHypothesesGoOnFromOthers) {
  const torch::NoGradGuard no_grad;
  const Encoded encoded = this->model_->encode(test::three_pairs().source);
  ASSERT_TRUE(this->model_->steps_are_fused());
  const DecoderState state =
      this->model_->step(torch::full({3}, 1, torch::kInt64), encoded.memories, encoded.start).state;
  const DecoderState moved = state.reorder(torch::tensor({2, 2, 1}, torch::kInt64));
  const auto& before = state.as<TransformerState>().layers.front().mixer.history.keys;
  const auto& after = moved.as<TransformerState>().layers.front().mixer.history.keys;
  ASSERT_EQ(before.size(), (std::is_same_v<TypeParam, TransformerDecoderOptions> ? 1U : 0U));
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(after[i].is_same(before[i]));
}

}  // namespace
}  // namespace attend::model
