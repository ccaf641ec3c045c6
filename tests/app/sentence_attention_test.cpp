#include "app/sentence_attention.h"

#include <gmock/gmock.h>

#include <stdexcept>

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

TEST(AttentionMatrix, HasNoColumnForAnEndSymbolThatTheModelDoesNotSee) {
  const auto matrix =
      attention_matrix({source(), target(), numbers(2, 3), {}}, align::Level::kPiece);
  EXPECT_THAT(matrix.source, ElementsAre("▁Ig", "lu", "▁an"));
  EXPECT_FALSE(matrix.source_end);
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

TEST(PageReading, HasPiecesAndTheWordsTheyMake) {
  const auto reading = page_reading({source(), target(), numbers(2, 4), {}}, 1);
  EXPECT_THAT(reading.matrix.source, ElementsAre("▁Ig", "lu", "▁an", "</s>"));
  EXPECT_EQ(reading.matrix.weights(0, 1), 5.0F);  // of the next step
  ASSERT_TRUE(reading.words.has_value());
  EXPECT_THAT(reading.words->source.names, ElementsAre("Iglu", "an", "</s>"));
  EXPECT_THAT(reading.words->source.group_of, ElementsAre(0U, 0U, 1U, 2U));
  EXPECT_THAT(reading.words->target.group_of, ElementsAre(0U, 1U));
}

}  // namespace
}  // namespace attend::app
