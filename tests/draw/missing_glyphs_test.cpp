// Characters that no installed font can draw.
#include "draw/missing_glyphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "draw/heatmap.h"
#include "tests/support/temp_dir.h"

namespace attend::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FontPackage, DependsOnTheScript) {
  EXPECT_EQ(font_package("犬が寝る"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("a か"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("개"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("หมา"), "fonts-noto-core");
  EXPECT_EQ(font_package("Hund 3."), "");
}

/// The log of drawing a picture with the word `label`.
std::string log_of_picture(const std::string& label) {
  const test::TempDir dir;
  const align::AttentionMatrix matrix{.target = {label, "</s>"},
                                      .source = {"one", "</s>"},
                                      .weights = align::WeightTable(2, 2, {1, 0, 0, 1}),
                                      .heads = {}};
  testing::internal::CaptureStderr();
  draw_heatmap(matrix, {}, dir / "picture.svg");
  return testing::internal::GetCapturedStderr();
}

// Private-use characters are in no font of Debian's.
TEST(MissingGlyphs, AreWarnedOfOnce) {
  EXPECT_THAT(log_of_picture("Hund"), Not(HasSubstr("no installed font")));
  EXPECT_THAT(log_of_picture("\uE000"), HasSubstr("no installed font can draw all of \"\uE000\""));
  EXPECT_THAT(log_of_picture("\uE001"), Not(HasSubstr("no installed font")));
}

}  // namespace
}  // namespace attend::draw
