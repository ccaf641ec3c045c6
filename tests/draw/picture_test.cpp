#include "draw/picture.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "core/error.h"

namespace attend::draw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

void draw_square(Canvas& canvas) {
  canvas.fill({{-40.0, 100.0}, {200.0, 60.0}}, {1.0, 0.0, 0.0});
}

uint32_t big_endian(const std::string& bytes, std::size_t at) {
  uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes.at(i));
  return value;
}

// PNG (ISO 15948): the width is at byte 16, the height at byte 20.
TEST(Picture, PngHasTwoPixelsPerUnitAndAMargin) {
  const std::string bytes = render_picture(PictureFormat::kPng, draw_square);
  EXPECT_THAT(bytes, StartsWith("\x89PNG\r\n"));
  EXPECT_EQ(big_endian(bytes, 16), 2U * (200 + 2 * 12));
  EXPECT_EQ(big_endian(bytes, 20), 2U * (60 + 2 * 12));
}

TEST(Picture, PngOfAVeryLargePictureIsScaledDown) {
  const std::string bytes = render_picture(PictureFormat::kPng, [](Canvas& canvas) {
    canvas.fill({{0.0, 0.0}, {39976.0, 976.0}}, {1.0, 0.0, 0.0});
  });
  EXPECT_EQ(big_endian(bytes, 16), 16000U);
  EXPECT_EQ(big_endian(bytes, 20), 400U);
}

TEST(Picture, SvgHasTheSizeOfTheDrawing) {
  const std::string bytes = render_picture(PictureFormat::kSvg, draw_square);
  EXPECT_THAT(bytes, HasSubstr("viewBox=\"0 0 224 84\""));
  EXPECT_THAT(bytes, HasSubstr("</svg>"));
}

TEST(Picture, PdfIsComplete) {
  const std::string bytes = render_picture(PictureFormat::kPdf, draw_square);
  EXPECT_THAT(bytes, StartsWith("%PDF-"));
  EXPECT_THAT(bytes, HasSubstr("%%EOF"));
}

// Regression: "internal error", because Cairo rejects noncharacters as ill-formed.
TEST(Picture, ShowsNoncharactersAsReplacementCharacters) {
  const auto picture_of = [](PictureFormat format, const std::string& text) {
    return render_picture(format, [&](Canvas& canvas) {
      canvas.text(text, {0.0, 0.0}, Anchor::kLeft, {});
    });
  };
  for (const char* text : {"a\uFFFEb", "a\uFFFFb", "a\uFDD0b", "a\U0001FFFEb", "a\U0010FFFFb"}) {
    EXPECT_EQ(picture_of(PictureFormat::kPng, text), picture_of(PictureFormat::kPng, "a\uFFFDb"));
    EXPECT_THAT(picture_of(PictureFormat::kSvg, text), HasSubstr("</svg>"));
    EXPECT_THAT(picture_of(PictureFormat::kPdf, text), HasSubstr("%%EOF"));
  }
}

TEST(PictureFormat, FindsEveryNameThatItLists) {
  EXPECT_THAT(picture_format_names(), ElementsAre("svg", "png", "pdf"));
  for (const std::string& name : picture_format_names()) {
    EXPECT_EQ(picture_format_name(parse_picture_format(name)), name);
  }
}

TEST(PictureFormat, RejectsAnUnknownNameWithTheChoices) {
  EXPECT_THAT(
      [] { (void)parse_picture_format("pngs"); },
      ThrowsMessage<UsageError>(HasSubstr("did you mean \"png\"?; choices: svg, png, pdf")));
}

}  // namespace
}  // namespace attend::draw
