#include "app/attention/sentence_attention.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "text/vocabulary.h"

namespace attend::app {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// "Iglu an" in the pieces "▁Ig", "lu", "▁an".
const TokenizedLine& source() {
  static const TokenizedLine line{
      "Iglu an", {4, 5, 6}, {"▁Ig", "lu", "▁an"}, {{0, 2}, {2, 4}, {4, 7}}};
  return line;
}

const TokenizedLine& target() {
  static const TokenizedLine line{"ja", {4}, {"▁ja"}, {{0, 2}}};
  return line;
}

torch::Tensor numbers(int64_t rows, int64_t columns) {
  return torch::arange(rows * columns, torch::kFloat).view({rows, columns});
}

TEST(AttentionMatrix, NamesTheEndSymbolsRowAndColumn) {
  const auto matrix =
      attention_matrix({source(), target(), numbers(2, 4), {}}, align::Level::kPiece);
  EXPECT_THAT(matrix.source, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_THAT(matrix.target, ElementsAre("▁ja", "</s>"));
  EXPECT_TRUE(matrix.source_end);
  EXPECT_EQ(matrix.weights(1, 0), 4.0F);
}

TEST(AttentionMatrix, HasNoColumnForAnUnseenEndSymbol) {
  const auto matrix =
      attention_matrix({source(), target(), numbers(2, 3), {}}, align::Level::kPiece);
  EXPECT_THAT(matrix.source, ElementsAre("▁Ig", "lu", "▁an"));
  EXPECT_FALSE(matrix.source_end);
}

TEST(AttentionMatrix, GroupsTheEndSymbolBetweenSourcesWithNoWord) {
  const TokenizedLine both{
      "a b", {4, text::kEos, 5}, {"▁a", "</s>", "▁b"}, {{0, 1}, {1, 2}, {2, 3}}};
  const auto matrix = attention_matrix({both, target(), numbers(2, 4), {}}, align::Level::kWord);
  EXPECT_THAT(matrix.source, ElementsAre("a", "b", "</s>"));
  EXPECT_EQ(matrix.weights(0, 1), 2.0F);
  EXPECT_EQ(matrix.weights(0, 2), 1.0F + 3.0F);
}

TEST(AttentionMatrix, MergesPiecesToWords) {
  const auto matrix =
      attention_matrix({source(), target(), numbers(2, 4), {}}, align::Level::kWord);
  EXPECT_THAT(matrix.source, ElementsAre("Iglu", "an", "</s>"));
  EXPECT_THAT(matrix.target, ElementsAre("ja", "</s>"));
  EXPECT_EQ(matrix.weights(0, 0), 0.0F + 1.0F);
  EXPECT_EQ(matrix.weights(1, 2), 7.0F);
}

TEST(AttentionMatrix, KeepsEveryHead) {
  const auto heads = torch::stack({numbers(2, 4), numbers(2, 4) + 10});
  const auto matrix =
      attention_matrix({source(), target(), numbers(2, 4), heads}, align::Level::kPiece);
  ASSERT_THAT(matrix.heads, SizeIs(2));
  EXPECT_EQ(matrix.heads[1](0, 3), 13.0F);
}

TEST(AttentionMatrix, OfAModelWithoutAttentionHasNamesOnly) {
  const auto matrix = attention_matrix({source(), target(), {}, {}}, align::Level::kWord);
  EXPECT_FALSE(matrix.has_weights());
  EXPECT_THAT(matrix.source, ElementsAre("Iglu", "an", "</s>"));
}

TEST(AttentionMatrix, RejectsWeightsOfAnotherSentence) {
  const SentenceAttention wrong{source(), target(), numbers(3, 4), {}};
  EXPECT_THROW((void)attention_matrix(wrong, align::Level::kPiece), std::logic_error);
}

// "Iglu an" written from the end: ▁an lu ▁Ig </s>. Step t attends to "ja" with row t of
// numbers(4, 2).
const TokenizedLine& written_backwards() {
  static const TokenizedLine line{"Iglu an",
                                  {6, 5, 4},
                                  {"▁an", "lu", "▁Ig"},
                                  {{4, 7}, {2, 4}, {0, 2}},
                                  text::PieceOrder::kReversed};
  return line;
}

TEST(AttentionMatrix, OfATranslationFromTheEndIsInReadingOrder) {
  const SentenceAttention attention{target(), written_backwards(), numbers(4, 2), {}};
  const auto matrix = attention_matrix(attention, align::Level::kPiece);
  EXPECT_THAT(matrix.target, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_EQ(matrix.weights, align::WeightTable(4, 2, {4, 5, 2, 3, 0, 1, 6, 7}));
  const auto words = attention_matrix(attention, align::Level::kWord);
  EXPECT_THAT(words.target, ElementsAre("Iglu", "an", "</s>"));
  EXPECT_EQ(words.weights, align::WeightTable(3, 2, {3, 4, 0, 1, 6, 7}));  // (4 + 2) / 2, ...
}

// The step after ▁an wrote lu, so ▁an gets the row of lu.
TEST(AttentionMatrix, IsShiftedByStepsOfTheModelAlsoFromTheEnd) {
  const SentenceAttention attention{target(), written_backwards(), numbers(4, 2), {}};
  const auto matrix = attention_matrix(attention, align::Level::kPiece, 1);
  EXPECT_EQ(matrix.weights, align::WeightTable(4, 2, {6, 7, 4, 5, 2, 3, 6, 7}));
}

TEST(TokenizedLine, EndsWithTheWordOfItsLastPiece) {
  TokenizedLine line = source();
  end_at_last_piece(line);
  EXPECT_EQ(line.text, "Iglu an");
  cut(line, 1);
  end_at_last_piece(line);
  EXPECT_EQ(line.text, "Iglu");
}

TEST(TokenizedLine, ReversedKeepsTheBeginningOfItsTextWhenCut) {
  TokenizedLine line = written_backwards();
  EXPECT_EQ(cut(line, 2), 1);
  EXPECT_THAT(line.pieces, ElementsAre("lu", "▁Ig"));
  EXPECT_THAT(line.ids, ElementsAre(5, 4));
}

TEST(PageReading, OfATranslationFromTheEndHasItsWordsInReadingOrder) {
  const auto reading = page_reading({target(), written_backwards(), numbers(4, 2), {}});
  EXPECT_THAT(reading.matrix.target, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_THAT(reading.words->target.group_of, ElementsAre(0U, 0U, 1U, 2U));
}

decode::AttentionMaps maps_of_iglu() {
  decode::AttentionMaps maps;
  maps.encoder = {{torch::stack({numbers(4, 4), numbers(4, 4) + 2})}, torch::eye(4)};
  maps.decoder = {{torch::ones({2, 2}).tril().unsqueeze(0)}, {}};
  maps.cross = {{numbers(2, 4).unsqueeze(0), numbers(2, 4).unsqueeze(0) + 1}, {}};
  return maps;
}

TEST(AttentionKinds, NameTheirRowsAndColumns) {
  const decode::AttentionMaps maps = maps_of_iglu();
  const auto kinds = attention_kinds({source(), target(), maps}, align::Level::kPiece);
  ASSERT_THAT(kinds, SizeIs(3));
  EXPECT_EQ(kinds[0].name, "encoder");
  EXPECT_THAT(kinds[0].layers[0].target, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_EQ(kinds[0].layers[0].source, kinds[0].layers[0].target);
  EXPECT_EQ(kinds[0].layers[0].weights(1, 2), 7.0F);  // mean of 6 and 8
  EXPECT_EQ(kinds[0].layers[0].heads[1](1, 2), 8.0F);
  EXPECT_EQ(kinds[0].rollout.weights(3, 3), 1.0F);
  EXPECT_EQ(kinds[1].name, "decoder");
  EXPECT_THAT(kinds[1].layers[0].target, ElementsAre("▁ja", "</s>"));
  EXPECT_THAT(kinds[1].layers[0].source, ElementsAre("<s>", "▁ja"));
  EXPECT_EQ(kinds[1].layers[0].weights(0, 1), 0.0F);
  EXPECT_FALSE(kinds[1].rollout.has_weights());
  EXPECT_EQ(kinds[2].name, "cross");
  ASSERT_THAT(kinds[2].layers, SizeIs(2));
  EXPECT_THAT(kinds[2].layers[1].heads, SizeIs(0));
  EXPECT_EQ(kinds[2].layers[1].weights(1, 3), 8.0F);
}

// Weights are summed over the columns of a word and averaged over its rows.
TEST(AttentionKinds, MergePiecesToWordsOnBothSides) {
  const decode::AttentionMaps maps = maps_of_iglu();
  const auto kinds = attention_kinds({source(), target(), maps}, align::Level::kWord);
  EXPECT_THAT(kinds[0].layers[0].target, ElementsAre("Iglu", "an", "</s>"));
  EXPECT_EQ(kinds[0].layers[0].heads[0](0, 0), (0.0F + 1 + 4 + 5) / 2);
  EXPECT_EQ(kinds[0].rollout.weights(0, 0), 1.0F);
  EXPECT_THAT(kinds[1].layers[0].source, ElementsAre("<s>", "ja"));
  EXPECT_EQ(kinds[1].layers[0].weights(1, 0), 1.0F);
  EXPECT_EQ(kinds[1].layers[0].weights(1, 1), 1.0F);
  EXPECT_THAT(kinds[2].layers[0].source, ElementsAre("Iglu", "an", "</s>"));
}

TEST(AttentionKinds, ShiftOnlyTheAttentionToTheSource) {
  const decode::AttentionMaps maps = maps_of_iglu();
  const auto kinds = attention_kinds({source(), target(), maps}, align::Level::kPiece, 1);
  EXPECT_EQ(kinds[2].layers[0].weights(0, 1), 5.0F);
  EXPECT_EQ(kinds[1].layers[0].weights(0, 0), 1.0F);
  EXPECT_EQ(kinds[0].layers[0].heads[0](0, 1), 1.0F);
}

TEST(AttentionKinds, OfALineWithoutWordsStillHaveAColumn) {
  const TokenizedLine blank{" ", {4}, {"▁"}, {{0, 1}}};
  decode::AttentionMaps maps;
  maps.decoder = {{torch::ones({2, 2}).tril().unsqueeze(0)}, {}};
  const auto kinds = attention_kinds({source(), blank, maps}, align::Level::kWord);
  EXPECT_THAT(kinds[0].layers[0].source, ElementsAre("<s>"));
  EXPECT_THAT(kinds[0].layers[0].target, ElementsAre("</s>"));
}

TEST(PageReading, HasPiecesAndTheWordsTheyMake) {
  const auto reading = page_reading({source(), target(), numbers(2, 4), {}}, 1);
  EXPECT_THAT(reading.matrix.source, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_EQ(reading.matrix.weights(0, 1), 5.0F);  // row of the next step
  ASSERT_TRUE(reading.words.has_value());
  EXPECT_THAT(reading.words->source.names, ElementsAre("Iglu", "an", "</s>"));
  EXPECT_THAT(reading.words->source.group_of, ElementsAre(0U, 0U, 1U, 2U));
  EXPECT_THAT(reading.words->target.group_of, ElementsAre(0U, 1U));
}

}  // namespace
}  // namespace attend::app
