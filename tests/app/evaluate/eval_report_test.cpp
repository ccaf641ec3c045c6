#include "app/evaluate/eval_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace attend::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

EvalEntry bleu(const std::string& system, double score) {
  return {.system = system,
          .line = std::nullopt,
          .name = "BLEU",
          .score = score,
          .signature = "nrefs:1",
          .details = "(BP = 1.000)"};
}

TEST(TextReport, HasALinePerEntry) {
  EvalEntry loss = bleu("a", 1.23456);
  loss.name = "loss";
  loss.details = "";
  loss.decimals = 4;
  EXPECT_EQ(text_report({bleu("a", 28.301225), loss}),
            "BLEU|nrefs:1 = 28.30 (BP = 1.000)\nloss|nrefs:1 = 1.2346\n");
}

TEST(TextReport, NamesTheSystemIfThereAreSeveral) {
  EXPECT_EQ(text_report({bleu("a", 1.0), bleu("b", 2.0)}),
            "a\tBLEU|nrefs:1 = 1.00 (BP = 1.000)\nb\tBLEU|nrefs:1 = 2.00 (BP = 1.000)\n");
}

// The example is in sacreBLEU's README, "Confidence Intervals for Single System Evaluation".
TEST(TextReport, HasTheIntervalAfterTheScore) {
  EvalEntry entry = bleu("a", 22.675);
  entry.score = 22.6751;
  entry.interval = metrics::Interval{.mean = 22.669, .half_width = 0.598};
  EXPECT_EQ(text_report({entry}), "BLEU|nrefs:1 = 22.68 (μ = 22.67 ± 0.60) (BP = 1.000)\n");
}

EvalEntry tested(const std::string& system, const std::string& name, double score,
                 std::optional<double> p_value) {
  EvalEntry entry = bleu(system, score);
  entry.name = name;
  entry.paired = true;
  entry.p_value = p_value;
  entry.interval = metrics::Interval{.mean = score, .half_width = 0.5};
  return entry;
}

TEST(PairedReport, HasARowPerSystemAndAColumnPerMetric) {
  const std::vector<EvalEntry> entries{
      tested("b", "BLEU", 26.6, std::nullopt), tested("b", "chrF2", 5.0, std::nullopt),
      tested("öther", "BLEU", 9.5, 0.001), tested("öther", "chrF2", 5.25, 0.3077)};
  const std::string report = paired_report(entries, "Test of 1000 samples");
  const std::string table = report.substr(0, report.find("\n\n") + 1);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_THAT(table, HasSubstr("Baseline: b  26.60 (26.60 ± 0.50)"));
  EXPECT_THAT(table, HasSubstr("öther        9.50 (9.50 ± 0.50) (p = 0.0010)*  5.25 (5.25 ± 0.50) "
                               "(p = 0.3077)\n"));
  EXPECT_THAT(table, StartsWith("System       BLEU (μ ± 95% CI)                "));
  EXPECT_THAT(report, HasSubstr("\nTest of 1000 samples. p: "));
  EXPECT_THAT(report, EndsWith("\n\nBLEU|nrefs:1\nchrF2|nrefs:1\n"));
}

TEST(TextReport, OfNothingIsEmpty) {
  EXPECT_EQ(text_report({}), "");
}

TEST(JsonReport, KeepsFullPrecisionAndFieldNames) {
  EvalEntry line = bleu("b\xff", 2.0);
  line.line = 7;
  line.details = "";
  const auto json = nlohmann::json::parse(json_report({bleu("a", 28.301225000000123), line}));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0], (nlohmann::json{{"system", "a"},
                                     {"name", "BLEU"},
                                     {"score", 28.301225000000123},
                                     {"signature", "nrefs:1"},
                                     {"verbose_score", "(BP = 1.000)"}}));
  EXPECT_EQ(json[1], (nlohmann::json{{"system", "b\ufffd"},
                                     {"name", "BLEU"},
                                     {"line", 7},
                                     {"score", 2.0},
                                     {"signature", "nrefs:1"}}));
}

TEST(JsonReport, HasTheIntervalUnderSacrebleusNames) {
  EvalEntry entry = bleu("a", 22.5);
  entry.interval = metrics::Interval{.mean = 22.25, .half_width = 0.625};
  const auto json = nlohmann::json::parse(json_report({entry}));
  EXPECT_EQ(json[0]["confidence_mean"], 22.25);
  EXPECT_EQ(json[0]["confidence_var"], 0.625);
  EXPECT_EQ(json[0]["confidence"], "μ = 22.25 ± 0.62");
  EXPECT_FALSE(json[0].contains("p_value"));
}

TEST(JsonReport, HasResultsOfPairedTestsUnderSacrebleusNames) {
  const auto json = nlohmann::json::parse(
      json_report({tested("a", "BLEU", 20.0, std::nullopt), tested("b", "BLEU", 21.0, 0.25)}));
  EXPECT_TRUE(json[0]["p_value"].is_null());
  EXPECT_EQ(json[1]["p_value"], 0.25);
  EXPECT_EQ(json[1]["mean"], 21.0);
  EXPECT_EQ(json[1]["ci"], 0.5);
}

}  // namespace
}  // namespace attend::app
