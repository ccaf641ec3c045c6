#include "app/explain/attention_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::app {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const model::LayerHeads& layers, SiteLevel level) {
  std::vector<std::string> names;
  for (const AttentionSite& site : attention_sites(layers, level)) names.push_back(site.name);
  return names;
}

TEST(AttentionSites, NameLayersAndHeadsWhereThereAreSeveral) {
  EXPECT_THAT(names_of({2, 2}, SiteLevel::model), ElementsAre("all"));
  EXPECT_THAT(names_of({2, 2}, SiteLevel::layer), ElementsAre("all", "layer 1", "layer 2"));
  EXPECT_THAT(names_of({1, 2}, SiteLevel::head),
              ElementsAre("all", "layer 1", "layer 2", "layer 2 head 1", "layer 2 head 2"));
  EXPECT_THAT(names_of({1}, SiteLevel::head), ElementsAre("all"));
  EXPECT_THAT(names_of({2}, SiteLevel::head),
              ElementsAre("all", "layer 1 head 1", "layer 1 head 2"));
}

TEST(AttentionSites, HoldTheirHeadsByLayer) {
  const auto sites = attention_sites({1, 3}, SiteLevel::head);
  EXPECT_THAT(sites[0].heads, ElementsAre(ElementsAre(0), ElementsAre(0, 1, 2)));
  EXPECT_THAT(sites[2].heads, ElementsAre(IsEmpty(), ElementsAre(0, 1, 2)));
  EXPECT_THAT(sites[4].heads, ElementsAre(IsEmpty(), ElementsAre(1)));
}

// The means over three heads of two layers are (0.2 + 0.6 + 0.4) / 3 and (0.8 + 0.4 + 0.6) / 3.
TEST(MeanWeights, AverageTheHeadsOfASiteByHand) {
  const HeadWeights weights = {{{0.2, 0.8}}, {{0.6, 0.4}, {0.4, 0.6}}};
  const auto sites = attention_sites({1, 2}, SiteLevel::head);
  EXPECT_THAT(mean_weights(weights, sites[0]),
              ElementsAre(DoubleNear(0.4, 1e-15), DoubleNear(0.6, 1e-15)));
  EXPECT_THAT(mean_weights(weights, sites[2]),
              ElementsAre(DoubleNear(0.5, 1e-15), DoubleNear(0.5, 1e-15)));
  EXPECT_THAT(mean_weights(weights, sites[3]), ElementsAre(0.6, 0.4));
}

TEST(AttentionOfASite, SumsToOneByHand) {
  const auto sites = attention_sites({1}, SiteLevel::model);
  EXPECT_THAT(attention_of({{{0.5, 1.5}}}, sites[0]), ElementsAre(0.25, 0.75));
  EXPECT_THAT(attention_of({{{0.0, 0.0}}}, sites[0]), ElementsAre(0.0, 0.0));
}

}  // namespace
}  // namespace attend::app
