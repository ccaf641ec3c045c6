#include "decode/search/beam_banks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::decode {
namespace {

using ::testing::ElementsAre;

/// A continuation, identified by its token.
BankedRow banked(text::TokenId token, double log_prob, int64_t missing) {
  return {{.token = token, .log_prob = log_prob}, missing};
}

std::vector<text::TokenId> chosen(const std::vector<BankedRow>& continuations, std::size_t places,
                                  int64_t left) {
  std::vector<text::TokenId> tokens;
  for (const Row& row : share_places(continuations, places, left)) tokens.push_back(row.token);
  return tokens;
}

const std::vector<BankedRow> kThreeBanks = {banked(4, -1.0, 2), banked(5, -2.0, 2),
                                            banked(6, -3.0, 2), banked(7, -4.0, 1),
                                            banked(8, -5.0, 1), banked(9, -6.0, 0)};

TEST(BeamBanks, GetEquallyManyPlaces) {
  EXPECT_THAT(chosen(kThreeBanks, 3, 9), ElementsAre(4, 7, 9));
}

TEST(BeamBanks, GiveFirstToTheOneThatLacksLeast) {
  EXPECT_THAT(chosen(kThreeBanks, 1, 9), ElementsAre(9));
  EXPECT_THAT(chosen(kThreeBanks, 4, 9), ElementsAre(4, 7, 8, 9));
}

TEST(BeamBanks, PassOnPlacesThatTheyDoNotNeed) {
  EXPECT_THAT(chosen(kThreeBanks, 5, 9), ElementsAre(4, 5, 7, 8, 9));
  EXPECT_THAT(chosen(kThreeBanks, 9, 9), ElementsAre(4, 5, 6, 7, 8, 9));
}

TEST(BeamBanks, ServeContinuationsWithoutRoomForTheRestLast) {
  EXPECT_THAT(chosen(kThreeBanks, 3, 1), ElementsAre(7, 8, 9));
  EXPECT_THAT(chosen(kThreeBanks, 4, 1), ElementsAre(4, 7, 8, 9));
}

}  // namespace
}  // namespace attend::decode
