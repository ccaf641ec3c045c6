#include "train/objective/attention_gain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <numeric>

#include "data/batching.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"
#include "tests/train/tiny_run.h"
#include "train/objective/teacher_forcing.h"

namespace attend::train {
namespace {

using model::WiringKind;

std::shared_ptr<model::Seq2Seq> gain_model(const model::ModelOptions& options) {
  auto made =
      std::make_shared<model::Seq2Seq>(options, test::kTinyVocabulary, test::kTinyVocabulary);
  test::randomize(*made, 2);
  made->eval();
  return made;
}

std::shared_ptr<model::Seq2Seq> recurrent_model(WiringKind wiring, int64_t heads = 1) {
  model::ModelOptions options;
  options.embedding = 3;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  decoder.hidden = 5;
  decoder.wiring = wiring;
  options.attention.size = 7;
  options.attention.heads = heads;
  return gain_model(options);
}

std::shared_ptr<model::Seq2Seq> transformer_model() {
  model::ModelOptions options;
  options.embedding = 6;
  options.encoder.emplace<model::TransformerEncoderOptions>().heads = 2;
  auto& decoder = options.decoder.emplace<model::TransformerDecoderOptions>();
  decoder.heads = 2;
  decoder.layers = 2;
  options.attention.score = nn::ScoreKind::scaled_dot;
  options.attention.heads = 3;
  return gain_model(options);
}

/// Pairs of different lengths.
data::Batch gain_batch(int64_t pairs) {
  const auto corpus = test::copy_corpus(pairs);
  std::vector<int64_t> all(static_cast<std::size_t>(pairs));
  std::iota(all.begin(), all.end(), 0);
  return data::make_batch(*corpus, all);
}

torch::Tensor gain_of(const model::Seq2Seq& model, const data::Batch& batch,
                      WeightReplacement replacement) {
  return attention_gain(model, model.encode(batch.source()), batch, replacement);
}

/// The weights of a sentence that replace `own` [S].
torch::Tensor replaced_by_hand(const torch::Tensor& own, WeightReplacement replacement) {
  if (replacement == WeightReplacement::uniform)
    return torch::full_like(own, 1.0 / static_cast<double>(own.numel()));
  torch::Tensor rest = own.clone();
  rest[own.argmax().item<int64_t>()] = 0.0;
  return rest / rest.sum();
}

/// A second implementation, one sentence at a time: the replaced attention sees a memory of one
/// position that holds the mixed values, where its weight is 1.
double expected_gain(const model::Seq2Seq& model, const data::Batch& batch,
                     WeightReplacement replacement) {
  const torch::NoGradGuard no_gradients;
  double sum = 0.0;
  for (int64_t i = 0; i < batch.size(); ++i) {
    const torch::Tensor row = torch::tensor({i});
    const int64_t source = batch.source().lengths[i].item<int64_t>();
    const model::Encoded encoded =
        model.encode({batch.source().ids.narrow(0, i, 1).narrow(1, 0, source),
                      torch::tensor({source}), torch::ones({1, source}, torch::kBool)});
    model::DecoderState state = encoded.start;
    const nn::PreparedMemory& all = encoded.memories.front();
    for (int64_t t = 0; t < batch.target_input.lengths[i].item<int64_t>(); ++t) {
      const torch::Tensor previous = batch.target_input.ids[i][t].view({1});
      const auto word = batch.target_output[i][t].item<int64_t>();
      const model::Predicted own = model.step(previous, encoded.memories, state);
      const torch::Tensor mixed =
          torch::matmul(replaced_by_hand(own.weights[0], replacement), all.memory.values[0]);
      const nn::PreparedMemory one{
          {all.memory.keys.narrow(1, 0, 1), mixed.view({1, 1, -1}),
           torch::ones({1, 1}, torch::kBool), torch::ones({1}, torch::kInt64)},
          all.keys.narrow(1, 0, 1),
          {},
          {}};
      const model::Predicted other = model.step(previous, {one}, state);
      sum += (own.logits.softmax(1) - other.logits.softmax(1))[0][word].item<double>();
      state = own.state;
    }
  }
  return sum;
}

TEST(AttentionGain, IsTheLossOfProbabilityWithReplacedWeights) {
  const data::Batch batch = gain_batch(4);
  for (const WiringKind wiring :
       {WiringKind::luong, WiringKind::bahdanau, WiringKind::conditional}) {
    const auto model = recurrent_model(wiring);
    for (const WeightReplacement how : enum_values<WeightReplacement>()) {
      const double expected = expected_gain(*model, batch, how);
      EXPECT_GT(std::abs(expected), 1e-4);
      EXPECT_NEAR(gain_of(*model, batch, how).item<double>(), expected, 1e-9)
          << enum_name(wiring) << " " << enum_name(how);
    }
  }
}

TEST(AttentionGain, HasTheGradientsOfCentralDifferences) {
  const data::Batch batch = gain_batch(3);
  for (const auto& model :
       {recurrent_model(WiringKind::luong), recurrent_model(WiringKind::bahdanau),
        recurrent_model(WiringKind::conditional, 2)}) {
    for (const WeightReplacement how : enum_values<WeightReplacement>()) {
      const auto gain = [&] { return gain_of(*model, batch, how); };
      EXPECT_LT(test::max_directional_error(gain, test::leaves(*model)), 1e-5) << enum_name(how);
    }
  }
  const auto deep = transformer_model();
  const auto gain = [&] { return gain_of(*deep, batch, WeightReplacement::uniform); };
  EXPECT_LT(test::max_directional_error(gain, test::leaves(*deep)), 1e-5);
}

TEST(AttentionGain, OfABatchIsTheSumOfItsSentences) {
  const auto model = transformer_model();
  const auto corpus = test::copy_corpus(3);
  double sum = 0.0;
  for (int64_t i = 0; i < 3; ++i)
    sum += gain_of(*model, data::make_batch(*corpus, std::vector{i}), WeightReplacement::uniform)
               .item<double>();
  EXPECT_NEAR(gain_of(*model, gain_batch(3), WeightReplacement::uniform).item<double>(), sum, 1e-9);
}

// The fused encoder and decoder compute the words' loss, plain steps the gain; both differentiate
// the same encoder.
TEST(GuidedLoss, HasTheGainIfItHasAWeight) {
  const auto model = recurrent_model(WiringKind::luong);
  const data::Batch batch = gain_batch(3);
  EXPECT_FALSE(guided_loss(*model, batch, 0.0, {}).faithfulness.defined());
  const FaithfulnessOptions faithful{.weight = 2.0,
                                     .replacement = WeightReplacement::without_largest};
  const auto objective = [&] {
    const GuidedLoss loss = guided_loss(*model, batch, 0.0, {}, 0.0, faithful);
    return loss.words.objective - faithful.weight * loss.faithfulness;
  };
  EXPECT_NEAR(guided_loss(*model, batch, 0.0, {}, 0.0, faithful).faithfulness.item<double>(),
              expected_gain(*model, batch, faithful.replacement), 1e-9);
  EXPECT_LT(test::max_directional_error(objective, test::leaves(*model)), 1e-5);
}

}  // namespace
}  // namespace attend::train
