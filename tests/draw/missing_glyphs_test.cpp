// Characters that no installed font can draw.
#include "draw/missing_glyphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FontPackage, DependsOnTheScript) {
  EXPECT_EQ(font_package("犬が寝る"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("a か"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("개"), "fonts-noto-cjk");
  EXPECT_EQ(font_package("หมา"), "fonts-noto-core");
  EXPECT_EQ(font_package("ok 😀"), "fonts-noto-color-emoji");
  EXPECT_EQ(font_package("Hund 3.\a"), "");
}

std::string log_of(GlyphWarnings& warnings, const std::string& text) {
  testing::internal::CaptureStderr();
  warnings.warn(text);
  return testing::internal::GetCapturedStderr();
}

TEST(GlyphWarnings, NameEachPackageOnce) {
  GlyphWarnings warnings;
  EXPECT_THAT(log_of(warnings, "犬"), HasSubstr("draw all of \"犬\", so pictures show boxes "
                                                "instead; install fonts-noto-cjk"));
  EXPECT_THAT(log_of(warnings, "猫"), IsEmpty());
  EXPECT_THAT(log_of(warnings, "หมา"), HasSubstr("install fonts-noto-core"));
  EXPECT_THAT(log_of(warnings, "Hund"), IsEmpty());
}

}  // namespace
}  // namespace attend::draw
