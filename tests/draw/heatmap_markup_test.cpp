#include "draw/heatmap_markup.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace attend::draw {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(HeatmapMarkup, ShowsTokensAndWeightOfEachCell) {
  const align::AttentionMatrix matrix{.target = {"▁x", "</s>"},
                                      .source = {"▁a&", "▁b", "</s>"},
                                      .target_end = true,
                                      .source_end = true,
                                      .weights = {2, 3, {0.5F, 0.25F, 0.25F, 0.F, 0.F, 1.F}},
                                      .heads = {}};
  EXPECT_THAT(
      heatmap_markup(matrix),
      AllOf(HasSubstr("<title>▁x ← ▁a&amp;: 0.500</title>"),
            HasSubstr("<title>▁x ← ▁b: 0.250</title>"),
            HasSubstr("<title>&lt;/s&gt; ← &lt;/s&gt;: 1.000</title>"), HasSubstr(">▁b</text>")));
}

TEST(HeatmapMarkup, RejectsAMatrixWithoutWeights) {
  const align::AttentionMatrix none{
      .target = {"</s>"}, .source = {"</s>"}, .weights = {}, .heads = {}};
  EXPECT_THROW((void)heatmap_markup(none), std::logic_error);
}

}  // namespace
}  // namespace attend::draw
