#include "align/extract.h"

#include <gmock/gmock.h>

namespace attend::align {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

AttentionMatrix matrix(std::vector<float> weights) {
  return {.target = {"x", "y", "</s>"},
          .source = {"a", "b", "c", "</s>"},
          .weights = WeightTable(3, 4, std::move(weights)),
          .heads = {}};
}

TEST(ExtractLinks, TakesTheLargestWeightOfEachTargetWord) {
  const auto words = matrix({0.1F, 0.6F, 0.2F, 0.1F,  //
                             0.5F, 0.1F, 0.1F, 0.3F,  //
                             0.9F, 0.0F, 0.0F, 0.1F});
  EXPECT_THAT(extract_links(words), ElementsAre(Link{0, 1}, Link{1, 0}));
}

TEST(ExtractLinks, TakesTheFirstOfEqualWeights) {
  const auto words = matrix({0.1F, 0.4F, 0.4F, 0.1F,  //
                             0.3F, 0.2F, 0.2F, 0.3F,  //
                             0.0F, 0.0F, 0.0F, 1.0F});
  EXPECT_THAT(extract_links(words), ElementsAre(Link{0, 1}, Link{1, 0}));
}

TEST(ExtractLinks, LinksNothingIfTheEndSymbolHasTheLargestWeight) {
  const auto words = matrix({0.1F, 0.2F, 0.2F, 0.5F,  //
                             0.0F, 0.0F, 1.0F, 0.0F,  //
                             0.0F, 0.0F, 0.0F, 1.0F});
  EXPECT_THAT(extract_links(words), ElementsAre(Link{2, 1}));
}

TEST(ExtractLinks, TakesTheLastColumnForAWordWithoutAnEndSymbol) {
  auto words = matrix({0.1F, 0.2F, 0.2F, 0.5F,  //
                       0.0F, 0.0F, 1.0F, 0.0F,  //
                       0.0F, 0.0F, 0.0F, 1.0F});
  words.source_end = false;
  EXPECT_THAT(extract_links(words), ElementsAre(Link{2, 1}, Link{3, 0}));
}

TEST(ExtractLinks, WithAThresholdTakesEveryWeightThatReachesIt) {
  const auto words = matrix({0.25F, 0.5F, 0.125F, 0.125F,  //
                             0.1F, 0.1F, 0.1F, 0.7F,       //
                             1.0F, 0.0F, 0.0F, 0.0F});
  EXPECT_THAT(extract_links(words, 0.25F), ElementsAre(Link{0, 0}, Link{1, 0}));
}

TEST(ExtractLinks, LinksNothingByZeroWeights) {
  EXPECT_THAT(extract_links(matrix(std::vector<float>(12))), IsEmpty());
  EXPECT_THAT(extract_links(matrix(std::vector<float>(12)), 0.0F), IsEmpty());
}

TEST(ExtractLinks, OfAMatrixWithoutWeightsAreNone) {
  auto words = matrix(std::vector<float>(12));
  words.weights = {};
  EXPECT_THAT(extract_links(words), IsEmpty());
}

}  // namespace
}  // namespace attend::align
