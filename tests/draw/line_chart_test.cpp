#include "draw/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace attend::draw {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(RoundTicks, AreRoundAndCoverTheRange) {
  EXPECT_THAT(round_ticks(0.3, 9.2, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(-130, 40, 4), ElementsAre(-150, -100, -50, 0, 50));
}

TEST(RoundTicks, SpreadAroundASingleValue) {
  const auto ticks = round_ticks(3.0, 3.0, 5);
  EXPECT_LT(ticks.front(), 3.0);
  EXPECT_GT(ticks.back(), 3.0);
}

TEST(RoundTicks, SpreadAroundZero) {
  EXPECT_THAT(round_ticks(0, 0, 2), ElementsAre(-1, 0, 1));
}

// Whole numbers of that size have no next one to count on to.
TEST(RoundTicks, EndWhereNumbersAreTooLargeToCountThem) {
  EXPECT_THAT(round_ticks(1e17, 1e17 + 16, 5), ElementsAre(1e17, 1e17 + 16));
}

TEST(LineChart, DrawsTheLargestAndTheSmallestNumbers) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const auto& [low, high] :
       {std::pair(-most, most), {most, most}, {least, least}, {0.0, least}}) {
    const std::string svg = to_svg({"Loss", "update", {{"dev", {{1, low}, {2, high}}}}});
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("\"nan")), Not(HasSubstr("inf"))));
  }
}

// The plot is 444 wide from x = 62; 10 to 20 are the first and the last tick.
TEST(LineChart, PutsTheFirstAndLastPointAtTheEdges) {
  const std::string svg = to_svg({"Loss", "update", {{"dev", {{10, 10}, {20, 20}}}}});
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"62.0,220.0 506.0,30.0 \""));
}

TEST(LineChart, SaysCountsAsTheyAreAndOtherNumbersShortly) {
  const std::string svg = to_svg({"Speed", "update", {{"train", {{10000, 0.5}, {20000, 4e7}}}}});
  EXPECT_THAT(svg, AllOf(HasSubstr(">20000</text>"), HasSubstr(">4e+07</text>")));
}

TEST(LineChart, LeavesOutWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = to_svg({"Loss", "update", {{"dev", {{10, 10}, {15, nan}, {20, 20}}}}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("62.0,220.0 506.0,30.0 "));
}

TEST(LineChart, SaysWhereThereIsNothingYet) {
  EXPECT_THAT(to_svg({"BLEU", "update", {{"BLEU", {}}}}), HasSubstr("nothing yet"));
}

TEST(LineChart, NamesSeveralSeriesButNotASingleOne) {
  const ChartSeries training{"training", {{1, 2}}};
  const ChartSeries development{"development", {{1, 3}}};
  EXPECT_THAT(to_svg({"Loss", "update", {training, development}}),
              HasSubstr(">development</text>"));
  EXPECT_THAT(to_svg({"Loss", "update", {training}}), Not(HasSubstr(">training</text>")));
}

}  // namespace
}  // namespace attend::draw
