#include "draw/heatmap.h"

#include <cairo.h>
#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::draw {
namespace {

using ::testing::HasSubstr;

align::AttentionMatrix example() {
  return {.target = {"eins", "zwei", "</s>"},
          .source = {"one", "two", "three", "</s>"},
          .weights = align::WeightTable(3, 4, {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
          .heads = {}};
}

// The pixels of a PNG file, read with Cairo.
class Pixels {
 public:
  explicit Pixels(const std::filesystem::path& path)
      : surface_(cairo_image_surface_create_from_png(path.c_str())) {
    if (cairo_surface_status(surface_) != CAIRO_STATUS_SUCCESS)
      throw std::runtime_error("not a PNG");
  }
  ~Pixels() { cairo_surface_destroy(surface_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }

  /// Number of pixels of this colour, up to rounding.
  int count(const Color& color) const {
    int found = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) found += is_like(x, y, color) ? 1 : 0;
    }
    return found;
  }

 private:
  bool is_like(int x, int y, const Color& color) const {
    const unsigned char* pixel =
        cairo_image_surface_get_data(surface_) +
        static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface_) + 4 * x;
    const auto near = [](unsigned char byte, double part) {
      return std::abs(byte - 255.0 * part) < 1.5;
    };
    return near(pixel[0], color.blue) && near(pixel[1], color.green) && near(pixel[2], color.red);
  }

  cairo_surface_t* surface_;
};

// Three cells of weight 1, each 34 units = 68 pixels wide minus grid lines and the number in it.
TEST(Heatmap, FillsACellForEveryFullWeight) {
  const test::TempDir dir;
  draw_heatmap(example(), {.format = PictureFormat::kPng, .title = "sentence 1"}, dir / "map.png");
  const int full = Pixels(dir / "map.png").count(shade(1.0));
  EXPECT_GT(full, 3 * 62 * 62);
  EXPECT_LT(full, 3 * 68 * 68 + 20 * 20);
}

// Weights up to 0.2 use the whole scale.
TEST(Heatmap, ScalesShadesToSmallWeights) {
  const test::TempDir dir;
  align::AttentionMatrix matrix = example();
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t s = 0; s < 4; ++s) matrix.weights(t, s) *= 0.2F;
  }
  draw_heatmap(matrix, {.format = PictureFormat::kPng}, dir / "map.png");
  EXPECT_GT(Pixels(dir / "map.png").count(shade(1.0)), 3 * 62 * 62);
}

constexpr Color kGold{0.835, 0.369, 0.0};

int gold_pixels(const align::GoldLinks& gold) {
  const test::TempDir dir;
  draw_heatmap(example(), {.format = PictureFormat::kPng, .title = {}, .gold = gold},
               dir / "map.png");
  return Pixels(dir / "map.png").count(kGold);
}

// A frame of 34 units with a width of 2 has 34^2 - 30^2 = 256 square units of 4 pixels; the frame
// of 12 units in the legend has 12^2 - 8^2 = 80.
TEST(Heatmap, OutlinesSureLinks) {
  const align::Links link{{2, 1}};
  EXPECT_EQ(gold_pixels({.sure = link, .possible = link}), 4 * (256 + 80));
  EXPECT_EQ(gold_pixels({}), 0);
}

// Dashes and gaps have the same length: about half as many pixels.
TEST(Heatmap, OutlinesPossibleLinksWithDashes) {
  EXPECT_NEAR(gold_pixels({.sure = {}, .possible = {{2, 1}}}), 2 * (256 + 80), 0.15 * 4 * 256);
}

TEST(Heatmap, RejectsGoldLinksOutsideTheMatrix) {
  const HeatmapOptions options{.title = {},
                               .gold = align::GoldLinks{.sure = {{4, 0}}, .possible = {}}};
  EXPECT_THROW(draw_heatmap(example(), options, "map.svg"), std::logic_error);
}

// In a short sentence, cells of heads are 10 units = 20 pixels wide.
TEST(Heatmap, DrawsEveryHeadBelow) {
  const test::TempDir dir;
  align::AttentionMatrix matrix = example();
  matrix.heads = {matrix.weights, align::WeightTable(3, 4)};
  draw_heatmap(example(), {.format = PictureFormat::kPng}, dir / "plain.png");
  draw_heatmap(matrix, {.format = PictureFormat::kPng}, dir / "heads.png");
  const Pixels plain(dir / "plain.png");
  const Pixels heads(dir / "heads.png");
  EXPECT_GT(heads.height(), plain.height() + 2 * 30);
  EXPECT_NEAR(heads.count(shade(1.0)) - plain.count(shade(1.0)), 3 * 20 * 20, 120);
}

// A shade has the same meaning in all pictures of a file.
TEST(Heatmap, ScalesHeadsAndMeanTogether) {
  const test::TempDir dir;
  align::AttentionMatrix matrix = example();
  matrix.weights = align::WeightTable(3, 4, std::vector<float>(12, 0.1F));
  matrix.heads = {example().weights, align::WeightTable(3, 4)};
  draw_heatmap(matrix, {.format = PictureFormat::kPng}, dir / "map.png");
  EXPECT_GT(Pixels(dir / "map.png").count(shade(0.1)), 12 * 50 * 50);
}

TEST(Heatmap, GrowsWithTheSentence) {
  const test::TempDir dir;
  draw_heatmap(example(), {.format = PictureFormat::kPng}, dir / "small.png");
  align::AttentionMatrix large{.target = std::vector<std::string>(50, "y"),
                               .source = std::vector<std::string>(100, "x"),
                               .weights = align::WeightTable(50, 100),
                               .heads = {}};
  draw_heatmap(large, {.format = PictureFormat::kPng}, dir / "large.png");
  EXPECT_GT(Pixels(dir / "large.png").width(),
            2 * 100 * 13);  // cells are at least 13 units wide
  EXPECT_GT(Pixels(dir / "large.png").height(), 2 * 50 * 13);
  EXPECT_LT(Pixels(dir / "small.png").width(), 600);
}

TEST(Heatmap, AcceptsAnyLabel) {
  const test::TempDir dir;
  align::AttentionMatrix matrix = example();
  matrix.source = {"", std::string("a\0b", 3), "l\u2028m\n", "مرحبا 你好"};
  matrix.target = {std::string(3000, 'w'), "\x01\x1b", "<b>&amp;"};
  for (const std::string& name : picture_format_names()) {
    draw_heatmap(matrix, {.format = parse_picture_format(name), .title = "<i>"}, dir / name);
    EXPECT_FALSE(test::read_text(dir / name).empty());
  }
}

TEST(Heatmap, DrawsASingleCell) {
  const test::TempDir dir;
  const align::AttentionMatrix matrix{.target = {"</s>"},
                                      .source = {"</s>"},
                                      .weights = align::WeightTable(1, 1, {1.0F}),
                                      .heads = {}};
  draw_heatmap(matrix, {.format = PictureFormat::kSvg}, dir / "map.svg");
  EXPECT_THAT(test::read_text(dir / "map.svg"), HasSubstr("</svg>"));
}

TEST(Heatmap, ThrowsDataErrorIfItCannotBeWritten) {
  EXPECT_THROW(draw_heatmap(example(), {}, "/no/such/folder/map.svg"), DataError);
}

TEST(Heatmap, RejectsAMatrixWithoutWeights) {
  align::AttentionMatrix matrix = example();
  matrix.weights = {};
  EXPECT_THROW(draw_heatmap(matrix, {}, "map.svg"), std::logic_error);
}

}  // namespace
}  // namespace attend::draw
