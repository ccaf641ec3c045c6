#include "align/attention_matrix.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace attend::align {
namespace {

AttentionMatrix example_matrix() {
  return {.target = {"x", "y", "</s>"},
          .source = {"a", "</s>"},
          .weights = WeightTable(3, 2, {0.1F, 0.9F, 0.2F, 0.8F, 0.3F, 0.7F}),
          .heads = {WeightTable(3, 2, {1, 0, 0, 1, 1, 0})}};
}

TEST(WeightTable, IsFilledRowByRow) {
  const WeightTable table(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(table(0, 2), 3.0F);
  EXPECT_EQ(table(1, 0), 4.0F);
}

TEST(WeightTable, RejectsAnotherNumberOfValues) {
  EXPECT_THROW(WeightTable(2, 3, {1, 2}), std::logic_error);
}

TEST(AttentionMatrix, CountsTokensWithoutEndSymbols) {
  AttentionMatrix matrix = example_matrix();
  EXPECT_EQ(matrix.target_tokens(), 2U);
  EXPECT_EQ(matrix.source_tokens(), 1U);
  matrix.source_end = false;
  EXPECT_EQ(matrix.source_tokens(), 2U);
}

TEST(AttentionMatrix, CheckRejectsTablesOfAnotherShape) {
  AttentionMatrix matrix = example_matrix();
  EXPECT_NO_THROW(matrix.check());
  matrix.source.emplace_back("b");
  EXPECT_THROW(matrix.check(), std::logic_error);
}

TEST(AttentionMatrix, CheckAcceptsAMatrixWithoutWeights) {
  AttentionMatrix matrix = example_matrix();
  matrix.weights = {};
  matrix.heads.clear();
  EXPECT_FALSE(matrix.has_weights());
  EXPECT_NO_THROW(matrix.check());
}

TEST(ShiftRows, GivesATokenTheWeightsOfTheNextStep) {
  const AttentionMatrix shifted = shift_rows(example_matrix(), 1);
  EXPECT_EQ(shifted.weights, WeightTable(3, 2, {0.2F, 0.8F, 0.3F, 0.7F, 0.3F, 0.7F}));
  EXPECT_EQ(shifted.heads[0], WeightTable(3, 2, {0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(shifted.target, example_matrix().target);
}

TEST(ShiftRows, ByNothingChangesNothing) {
  EXPECT_EQ(shift_rows(example_matrix(), 0).weights, example_matrix().weights);
}

TEST(TurnRows, PutsTheLastTokenFirstAndLeavesTheEndSymbolLast) {
  const AttentionMatrix turned = turn_rows(example_matrix());
  EXPECT_THAT(turned.target, testing::ElementsAre("y", "x", "</s>"));
  EXPECT_EQ(turned.weights, WeightTable(3, 2, {0.2F, 0.8F, 0.1F, 0.9F, 0.3F, 0.7F}));
  EXPECT_EQ(turned.heads[0], WeightTable(3, 2, {0, 1, 1, 0, 1, 0}));
}

TEST(TurnRows, OfAModelWithoutAttentionTurnsTheNames) {
  AttentionMatrix matrix = example_matrix();
  matrix.weights = {};
  matrix.heads.clear();
  EXPECT_THAT(turn_rows(matrix).target, testing::ElementsAre("y", "x", "</s>"));
  EXPECT_FALSE(turn_rows(matrix).has_weights());
}

}  // namespace
}  // namespace attend::align
