#include "draw/color_scale.h"

#include <gmock/gmock.h>

#include <limits>

namespace attend::draw {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Field;

// The grey of a colour in print, by the weights of ITU-R BT.601.
double grey(const Color& color) {
  return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue;
}

TEST(Shade, OfZeroIsWhite) {
  const auto one = DoubleNear(1.0, 1e-3);
  EXPECT_THAT(shade(0.0),
              AllOf(Field(&Color::red, one), Field(&Color::green, one), Field(&Color::blue, one)));
}

TEST(Shade, DarkensWithEveryStepInGreyPrint) {
  for (int i = 0; i < 100; ++i)
    EXPECT_GT(grey(shade(i / 100.0)), grey(shade((i + 1) / 100.0)) + 0.002) << i;
}

TEST(Shade, StaysBlue) {
  for (int i = 5; i <= 100; ++i) {
    EXPECT_GT(shade(i / 100.0).blue, shade(i / 100.0).green) << i;
    EXPECT_GT(shade(i / 100.0).green, shade(i / 100.0).red) << i;
  }
}

TEST(Shade, ClampsValuesOutsideTheRange) {
  EXPECT_EQ(shade(-0.5), shade(0.0));
  EXPECT_EQ(shade(7.0), shade(1.0));
  EXPECT_EQ(shade(std::numeric_limits<double>::quiet_NaN()), shade(0.0));
}

TEST(ReadableOn, IsBlackOnLightAndWhiteOnDark) {
  EXPECT_EQ(readable_on(shade(0.0)), (Color{0, 0, 0}));
  EXPECT_EQ(readable_on(shade(0.3)), (Color{0, 0, 0}));
  EXPECT_EQ(readable_on(shade(0.8)), (Color{1, 1, 1}));
  EXPECT_EQ(readable_on(shade(1.0)), (Color{1, 1, 1}));
}

}  // namespace
}  // namespace attend::draw
