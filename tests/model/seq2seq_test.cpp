#include "model/seq2seq.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::ScoreKind;
using test::kSourceVocabulary;
using test::kTargetVocabulary;
using test::log_probs;
using test::small_options;
using test::TensorEq;
using test::TensorNear;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

ModelOptions tied(Tie tie) {
  ModelOptions options = small_options(WiringKind::luong, CellKind::gru);
  options.tie = tie;
  return options;
}

std::vector<std::string> names_of(const ModelOptions& options) {
  return test::parameter_names(Seq2Seq(options, kTargetVocabulary, kTargetVocabulary));
}

TEST(Tie, NoneHasThreeMatrices) {
  EXPECT_THAT(names_of(tied(Tie::none)), AllOf(Contains("source_embedding.weight").Times(1),
                                               Contains("target_embedding.weight").Times(1),
                                               Contains("output.weight").Times(1)));
}

TEST(Tie, DecoderSharesTheTargetEmbeddingWithTheOutput) {
  const auto names = names_of(tied(Tie::decoder));
  EXPECT_THAT(names, AllOf(Contains("source_embedding.weight"),
                           Contains("target_embedding.weight").Times(1)));
  EXPECT_THAT(names, AllOf(Not(Contains("output.weight")), Contains("output.bias")));
}

TEST(Tie, AllHasASingleMatrixUnderOneName) {
  const auto names = names_of(tied(Tie::all));
  EXPECT_THAT(names,
              AllOf(Contains("target_embedding.weight").Times(1),
                    Not(Contains("source_embedding.weight")), Not(Contains("output.weight"))));
}

TEST(Tie, ProjectsStatesWhereSizesDiffer) {
  EXPECT_THAT(names_of(tied(Tie::decoder)), Contains("output.projection.weight"));
  ModelOptions equal = tied(Tie::decoder);
  test::recurrent_decoder(equal).hidden = equal.embedding;
  EXPECT_THAT(names_of(equal), Not(Contains("output.projection.weight")));
  ModelOptions readout = tied(Tie::decoder);
  test::recurrent_decoder(readout).wiring =
      WiringKind::bahdanau;  // its readout has the embedding's size
  EXPECT_THAT(names_of(readout), Not(Contains("output.projection.weight")));
}

/// True if a change of the target embedding's row for piece 7 changes the result of `observe`.
template <class Observe>
bool sees_target_row(Tie tie, Observe observe) {
  Seq2Seq model(tied(tie), kTargetVocabulary, kTargetVocabulary);
  test::randomize(model, 3);
  const torch::NoGradGuard no_grad;
  const torch::Tensor before = observe(model).clone();
  test::parameter(model, "target_embedding.weight")[7].add_(1.0);
  return !torch::allclose(before, observe(model));
}

TEST(Tie, SharedMatricesChangeTogether) {
  const auto memory = [](const Seq2Seq& model) {
    return model.encode(test::sentences({{7, 3}})).memories.front().memory.values;
  };
  const auto scores = [](const Seq2Seq& model) {
    return model.logits(test::random_f64({2, 5}, 4));
  };
  EXPECT_TRUE(sees_target_row(Tie::all, memory));
  EXPECT_FALSE(sees_target_row(Tie::decoder, memory));
  EXPECT_TRUE(sees_target_row(Tie::all, scores));
  EXPECT_TRUE(sees_target_row(Tie::decoder, scores));
  EXPECT_FALSE(sees_target_row(Tie::none, scores));
}

TEST(Tie, AllNeedsOneVocabulary) {
  EXPECT_THAT([] { Seq2Seq(tied(Tie::all), kSourceVocabulary, kTargetVocabulary); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("model.tie: all"),
                                               HasSubstr("tokenizer.joint: true"),
                                               HasSubstr("model.tie: decoder"))));
}

TEST(Seq2Seq, RefusesADotScoreOverMemoryOfAnotherSize) {
  ModelOptions options =
      small_options(WiringKind::luong, CellKind::gru);  // decoder 5, memory 2 * 4
  options.attention.score = ScoreKind::dot;
  EXPECT_THAT([&] { Seq2Seq(options, kSourceVocabulary, kTargetVocabulary); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("size 5"), HasSubstr("size 8"))));
}

TEST(Seq2Seq, TellsItsVocabularies) {
  const auto model = test::small_model(small_options(WiringKind::luong, CellKind::gru));
  EXPECT_EQ(model->source_vocabulary(), kSourceVocabulary);
  EXPECT_EQ(model->target_vocabulary(), kTargetVocabulary);
  EXPECT_EQ(recurrent_decoder(model->options()).hidden, 5);
}

TEST(Seq2Seq, ReadsTheSourceAsTheOptionsArrangeIt) {
  ModelOptions options = small_options(WiringKind::none, CellKind::gru);
  const auto straight = test::small_model(options);
  test::recurrent_encoder(options).reverse_source = true;
  test::recurrent_encoder(options).repeat_source = 2;
  const auto remedied = test::small_model(options);  // the same weights
  const auto encoded = remedied->encode(test::sentences({{4, 9, 3}}));
  const auto expected = straight->encode(test::sentences({{9, 4, 9, 4, 3}}));
  EXPECT_THAT(encoded.start.tensors().front(), TensorNear(expected.start.tensors().front(), 1e-12));
}

/// Tests each kind of dropout alone.
class DropoutKind : public testing::TestWithParam<double DropoutOptions::*> {};

TEST_P(DropoutKind, ActsInTrainingOnly) {
  torch::manual_seed(4);
  const test::Pairs pairs = test::three_pairs();
  const auto run = [&](const Seq2Seq& model) {
    return log_probs(model, model.decode(model.encode(pairs.source), pairs.target_input));
  };
  ModelOptions options = small_options(WiringKind::luong, CellKind::lstm);
  const auto expected = run(*test::small_model(options));
  options.dropout.*GetParam() = 0.5;
  const auto model = test::small_model(options);  // the same weights
  EXPECT_THAT(run(*model), TensorEq(expected));
  model->train();
  const auto first = run(*model);
  EXPECT_FALSE(torch::allclose(first, expected));
  EXPECT_FALSE(torch::allclose(first, run(*model)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DropoutKind,
                         testing::Values(&DropoutOptions::embedding, &DropoutOptions::layer,
                                         &DropoutOptions::recurrent, &DropoutOptions::attention,
                                         &DropoutOptions::output));

TEST(Seq2Seq, TrainsReproduciblyUnderDropoutFromLibTorchsGenerator) {
  ModelOptions options = small_options(WiringKind::conditional, CellKind::gru);
  options.dropout = {0.2, 0.2, 0.2, 0.2, 0.2, 0.0, {}};
  const auto model = test::small_model(options);
  model->train();
  const auto loss = [&](uint64_t seed) {
    torch::manual_seed(seed);
    return test::mean_loss(*model, test::three_pairs()).item<double>();
  };
  EXPECT_EQ(loss(5), loss(5));
  EXPECT_NE(loss(5), loss(6));
}

}  // namespace
}  // namespace attend::model
