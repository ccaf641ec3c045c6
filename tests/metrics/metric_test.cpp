#include "metrics/metric.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

// Counts the characters of the hypothesis and of all references.
class Characters final : public Metric {
 public:
  std::string name() const override { return "chars"; }
  std::size_t statistics_size() const override { return 2; }
  Statistics segment_statistics(std::string_view hypothesis,
                                std::span<const std::string_view> references) const override {
    std::size_t total = 0;
    for (const std::string_view line : references) total += line.size();
    return {static_cast<double>(hypothesis.size()), static_cast<double>(total)};
  }
  Score score(std::span<const double> statistics) const override {
    return {statistics[0] / statistics[1], ""};
  }
  std::string options() const override { return "case:mixed"; }
};

TEST(CorpusStatistics, HasOneRowPerSegmentAndTheirSum) {
  const CorpusStatistics statistics =
      corpus_statistics(Characters(), Lines{"a", "bbb"}, {{"xx", "y"}, {"", "zzzz"}});
  EXPECT_EQ(statistics.segments(), 2U);
  EXPECT_THAT(statistics.row(0), ElementsAre(1, 2));
  EXPECT_THAT(statistics.row(1), ElementsAre(3, 5));
  EXPECT_THAT(statistics.sum(), ElementsAre(4, 7));
}

TEST(CorpusScore, ScoresTheSumNotTheMean) {
  EXPECT_DOUBLE_EQ(corpus_score(Characters(), Lines{"a", "bbb"}, {{"xx", "y"}}).value, 4.0 / 3);
}

TEST(CorpusStatistics, RejectsReferencesOfAnotherLength) {
  EXPECT_THROW((void)corpus_statistics(Characters(), Lines{"a"}, {{"x", "y"}}), std::logic_error);
  EXPECT_THROW((void)corpus_statistics(Characters(), Lines{"a"}, {}), std::logic_error);
}

// The order of sacreBLEU's README, section "Paired Significance Tests".
TEST(Signature, HasTheResamplingAfterTheReferences) {
  EXPECT_EQ(Characters().signature(2, {.bootstrap = 1000, .randomization = {}, .seed = 12345}),
            "nrefs:2|bs:1000|seed:12345|case:mixed|" + version_signature());
  EXPECT_EQ(Characters().signature(1, {.bootstrap = 500, .randomization = 10000, .seed = 7}),
            "nrefs:1|bs:500|ar:10000|seed:7|case:mixed|" + version_signature());
}

}  // namespace
}  // namespace attend::metrics
