#include "app/attention/kind_heatmaps.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

align::AttentionMatrix one_by_one() {
  return {.target = {"x"}, .source = {"y"}, .weights = align::WeightTable(1, 1), .heads = {}};
}

TEST(KindHeatmaps, AreAPictureForEachLayerAndTheRollout) {
  const test::TempDir dir;
  draw_kinds(
      {{"encoder", {one_by_one(), one_by_one()}, one_by_one()}, {"decoder", {one_by_one()}, {}}},
      {dir.path(), "000012.1", draw::PictureFormat::kSvg});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "000012.1.encoder.1.svg", "000012.1.encoder.2.svg",
                         "000012.1.encoder.rollout.svg", "000012.1.decoder.1.svg"));
}

TEST(KindHeatmaps, OfAMemoryAreAPictureForEachHead) {
  const test::TempDir dir;
  align::AttentionMatrix heads = one_by_one();
  heads.heads = {heads.weights, heads.weights};
  draw_kinds({{"decoder_memory", {heads}, {}}}, {dir.path(), "000012", draw::PictureFormat::kSvg});
  const std::string write = test::read_text(dir / "000012.decoder_memory.1.1.svg");
  const std::string read = test::read_text(dir / "000012.decoder_memory.1.2.svg");
  EXPECT_NE(write, read) << "the titles differ";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 2);
}

TEST(KindHeatmaps, KnowTheNamesOfTheirPictures) {
  for (const char* stem : {"000012", "12.1", "000012.encoder.2", "000012.1.cross.rollout",
                           "000012.encoder_memory.1.2"})
    EXPECT_TRUE(is_picture_stem(stem)) << stem;
  for (const char* stem : {"weights", "12.encoder", "12.encoder.all", "x.encoder.2", "12.other.2"})
    EXPECT_FALSE(is_picture_stem(stem)) << stem;
}

}  // namespace
}  // namespace attend::app
