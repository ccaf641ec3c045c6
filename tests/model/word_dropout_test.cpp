#include "model/word_dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/execution.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"
#include "text/vocabulary.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kWords = 30;

/// Sentences of random words, including kUnk, between the symbols that frame them: kBos, kEos,
/// kPad.
torch::Tensor many_ids(int64_t rows, int64_t steps) {
  torch::manual_seed(8);
  torch::Tensor ids = torch::randint(text::kSpecialSymbols, kWords, {rows, steps}, torch::kInt64);
  ids.select(1, 0).fill_(int64_t{text::kBos});
  ids.select(1, 1).fill_(int64_t{text::kUnk});
  ids.select(1, steps - 2).fill_(int64_t{text::kEos});
  ids.select(1, steps - 1).fill_(int64_t{text::kPad});
  return ids;
}

// 200 * 97 words; 4 standard deviations of the dropped share are 0.0132.
TEST(WordDropout, LeavesOutTheShareOfWordsAndNothingThatFramesThem) {
  for (const MaskPer by : {MaskPer::token, MaskPer::type}) {
    const torch::Tensor ids = many_ids(200, 100);
    const torch::Tensor gone = draw_dropped_words(ids, 0.3, by);
    ASSERT_EQ(gone.sizes(), ids.sizes());
    EXPECT_NEAR(gone.sum().item<double>() / (200.0 * 97.0), 0.3, 0.02) << enum_name(by);
    EXPECT_GT(gone.select(1, 1).sum().item<int64_t>(), 0) << "<unk> is a word";
    for (const int64_t frame : {0, 98, 99})
      EXPECT_FALSE(gone.select(1, frame).any().item<bool>()) << frame;
  }
}

/// True if all occurrences of a word in a row are dropped or kept together.
bool agrees_within_rows(const torch::Tensor& ids, const torch::Tensor& gone) {
  for (int64_t row = 0; row < ids.size(0); ++row) {
    for (int64_t word = text::kSpecialSymbols; word < kWords; ++word) {
      const torch::Tensor fates = gone[row].masked_select(ids[row] == word);
      if (fates.any().item<bool>() && !fates.all().item<bool>()) return false;
    }
  }
  return true;
}

TEST(WordDropout, ByTypeTakesAllOccurrencesInASentenceAndByTokenEachByItself) {
  const torch::Tensor ids = many_ids(6, 100);
  const torch::Tensor by_type = draw_dropped_words(ids, 0.5, MaskPer::type);
  EXPECT_TRUE(agrees_within_rows(ids, by_type));
  EXPECT_FALSE(agrees_within_rows(ids, draw_dropped_words(ids, 0.5, MaskPer::token)));
  const torch::Tensor same = ids[0].expand({6, 100}).contiguous();
  const torch::Tensor fates = draw_dropped_words(same, 0.5, MaskPer::type);
  EXPECT_FALSE(torch::equal(fates[0], fates[1])) << "each sentence has its own draws";
}

TEST(WordDropout, DrawsFromLibTorchsGenerator) {
  const torch::Tensor ids = many_ids(6, 100);
  const auto drawn = [&](uint64_t seed) {
    torch::manual_seed(seed);
    return draw_dropped_words(ids, 0.5, MaskPer::token);
  };
  EXPECT_TRUE(torch::equal(drawn(3), drawn(3)));
  EXPECT_FALSE(torch::equal(drawn(3), drawn(4)));
}

nn::Embedding counting_embedding() {
  nn::Embedding embedding(/*vocabulary=*/6, /*size=*/2);
  const torch::NoGradGuard no_grad;
  embedding.to(torch::kFloat64);
  embedding.named_parameters()["weight"].copy_(torch::arange(12.0).view({6, 2}));
  return embedding;
}

// Row w of the matrix is (2w, 2w + 1). With probability 0.2 words count 1 / 0.8 = 1.25, kEos 1.
TEST(WordDropout, ZeroesVectorsAndScalesThoseOfTheOtherWords) {
  const nn::Embedding embedding = counting_embedding();
  const torch::Tensor ids = torch::tensor({4, 5, 4, 3}, torch::kInt64).view({1, 4});
  const torch::Tensor gone = torch::tensor({true, false, false, false}).view({1, 4});
  const torch::Tensor expected =
      torch::tensor({0.0, 0.0, 12.5, 13.75, 10.0, 11.25, 6.0, 7.0}, torch::kFloat64);
  const nn::IndexedRows rest = embed_kept(embedding, ids, gone, 0.2);
  EXPECT_THAT(rest.all(), TensorNear(expected.view({1, 4, 2}), 1e-12));
  EXPECT_EQ(rest.rows.size(0), 4) << "rows of three distinct words and a row of zeros";
}

TEST(WordDropout, HasTheGradientsOfCentralDifferences) {
  const nn::Embedding embedding = counting_embedding();
  const torch::Tensor ids = torch::tensor({4, 5, 4, 3}, torch::kInt64).view({1, 4});
  const torch::Tensor gone = torch::tensor({true, false, false, false}).view({1, 4});
  const auto function = [&] { return embed_kept(embedding, ids, gone, 0.2).all().sin(); };
  EXPECT_LT(test::max_gradient_error(function, {embedding.weight()}), 1e-8);
}

/// The encoder's memory, and the decoder's outputs with this memory.
std::vector<torch::Tensor> read_and_decode(const Seq2Seq& model, const test::Pairs& pairs) {
  const Encoded encoded = model.encode(pairs.source);
  return {encoded.memories.front().memory.values,
          model.decode(encoded, pairs.target_input).outputs};
}

/// The model with this word dropout, in training mode.
std::shared_ptr<Seq2Seq> model_with(const WordDropoutOptions& word) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  options.dropout.word = word;
  auto model = test::small_model(options);
  model->train();
  return model;
}

TEST(WordDropout, OfTheTargetLeavesTheEncoderAlone) {
  const test::Pairs pairs = test::three_pairs();
  const auto whole = read_and_decode(
      *test::small_model(test::small_options(WiringKind::luong, CellKind::lstm)), pairs);
  torch::manual_seed(2);
  const auto target = read_and_decode(*model_with({.source = 0.0, .target = 0.9}), pairs);
  EXPECT_THAT(target[0], TensorEq(whole[0]));
  EXPECT_FALSE(torch::allclose(target[1], whole[1]));
  const auto source = read_and_decode(*model_with({.source = 0.9, .target = 0.0}), pairs);
  EXPECT_FALSE(torch::allclose(source[0], whole[0]));
}

TEST(WordDropout, IsOffOutsideOfTraining) {
  const test::Pairs pairs = test::three_pairs();
  const auto whole = read_and_decode(
      *test::small_model(test::small_options(WiringKind::luong, CellKind::lstm)), pairs);
  const auto model = model_with({.source = 0.9, .target = 0.9});
  model->eval();
  const auto measured = read_and_decode(*model, pairs);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_THAT(measured[i], TensorEq(whole[i]));
}

// The source's draws come before the target's.
TEST(WordDropout, ByUnkIsReadingUnknownWordsThere) {
  const test::Pairs pairs = test::three_pairs();
  torch::manual_seed(6);
  const auto dropped = read_and_decode(
      *model_with(
          {.source = 0.6, .target = 0.6, .by = MaskPer::token, .replacement = Replacement::unk}),
      pairs);
  torch::manual_seed(6);
  test::Pairs masked = pairs;
  for (data::SentenceBatch* side : {&masked.source, &masked.target_input}) {
    const torch::Tensor gone = draw_dropped_words(side->ids, 0.6, MaskPer::token);
    ASSERT_TRUE(gone.any().item<bool>());
    side->ids = side->ids.masked_fill(gone, int64_t{text::kUnk});
  }
  const auto expected = read_and_decode(
      *test::small_model(test::small_options(WiringKind::luong, CellKind::lstm)), masked);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_THAT(dropped[i], TensorEq(expected[i]));
}

TEST(WordDropout, GoesTogetherWithDropoutOfEmbeddings) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  options.dropout.word.source = 0.5;
  options.dropout.embedding = 0.5;
  const auto model = test::small_model(options);
  model->train();
  const test::Pairs pairs = test::three_pairs();
  const auto memory = [&](bool fused) {
    torch::manual_seed(9);
    const nn::ExecutionScope scope({.fused = fused});
    return read_and_decode(*model, pairs)[0];
  };
  EXPECT_THAT(memory(true), TensorNear(memory(false), 1e-12));
}

// Two equal sentences in a batch, which differ only by dropout on word vectors.
TEST(EmbeddingDropout, ByTypeGivesEqualSentencesOneMask) {
  for (const bool fused : {true, false}) {
    const nn::ExecutionScope scope({.fused = fused});
    for (const MaskPer by : {MaskPer::type, MaskPer::token}) {
      ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
      options.dropout.embedding = 0.5;
      options.dropout.embedding_by = by;
      const auto model = test::small_model(options);
      model->train();
      torch::manual_seed(9);
      const torch::Tensor states =
          model->encode(test::sentences({{4, 9, 10, 5, 3}, {4, 9, 10, 5, 3}}))
              .memories[0]
              .memory.keys;
      EXPECT_EQ(states[0].equal(states[1]), by == MaskPer::type) << enum_name(by);
    }
  }
}

TEST(EmbeddingDropout, ByTypeDropsWhileTrainingAlone) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  options.dropout.embedding = 0.5;
  options.dropout.embedding_by = MaskPer::type;
  const auto model = test::small_model(options);
  const auto memory = [&] { return read_and_decode(*model, test::three_pairs())[0]; };
  const torch::Tensor still = memory();
  EXPECT_THAT(memory(), TensorEq(still));
  model->train();
  EXPECT_FALSE(memory().equal(still));
}

}  // namespace
}  // namespace attend::model
