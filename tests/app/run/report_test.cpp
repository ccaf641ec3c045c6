#include "app/run/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<json> history() {
  return {{{"type", "train"},
           {"update", 100},
           {"loss", 4.5},
           {"learning_rate", 0.001},
           {"timing", {{"target_tokens_per_second", 900.0}}}},
          {{"type", "validation"},
           {"update", 100},
           {"epoch", 1.0},
           {"loss", 4.25},
           {"perplexity", 70.1},
           {"bleu", 12.345},
           {"best", true}},
          {{"type", "average"},
           {"update", 100},
           {"epoch", 1.0},
           {"loss", 4.1},
           {"perplexity", 60.3},
           {"bleu", 13.5},
           {"best", true},
           {"snapshots", 2}}};
}

/// The page of a run with this history and these samples of the last validation.
std::string report_page(const std::vector<json>& history,
                        const std::vector<train::Sample>& samples = {}) {
  const attend::test::TempDir folder;
  std::string lines;
  for (const json& line : history) lines += line.dump() + "\n";
  folder.write("train.jsonl", lines);
  RunReport report(folder.path());
  train::ValidationReport validation;
  validation.result.samples = samples;
  report.on_validation(validation);
  return attend::test::read_text(folder / "report.html");
}

// A long run has tens of thousands of lines; a browser must still be able to open the page.
TEST(Report, DoesNotGrowWithTheRun) {
  const auto page_of = [](int intervals) {
    std::vector<json> lines;
    for (int i = 1; i <= intervals; ++i) {
      lines.push_back({{"type", "train"}, {"update", 100 * i}, {"loss", 4.0 + i % 2}});
      lines.push_back({{"type", "validation"},
                       {"update", 100 * i},
                       {"epoch", 1.0},
                       {"loss", 4.0},
                       {"best", i == 777}});
    }
    return report_page(lines);
  };
  const std::string page = page_of(20'000);
  EXPECT_LT(page.size(), 1.3 * static_cast<double>(page_of(2'000).size()));
  EXPECT_THAT(page, AllOf(HasSubstr("<td>77700</td>"), HasSubstr("<td>2000000</td>")));
  EXPECT_THAT(page_of(200), AllOf(HasSubstr("<td>100</td>"), HasSubstr("<td>10300</td>")));
}

train::Sample sample() {
  return {"a <b> c",
          "reference & co",
          "hypothesis",
          {"▁a", "</s>"},
          {"▁x", "▁y", "</s>"},
          torch::tensor({{1.0F, 0.0F}, {0.25F, 0.75F}, {0.5F, 0.5F}})};
}

/// The charts that the script of the page draws.
json curves_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"curves\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

json chart(const char* title, const std::vector<json>& series) {
  return {{"title", title}, {"series", series}};
}

json series(const char* name, double value) {
  return {{"name", name}, {"points", {{100, value}}}};
}

TEST(ReportPage, HoldsTheCurvesAndTheScriptThatDrawsThem) {
  const std::string page = report_page(history());
  EXPECT_EQ(curves_of(page),
            json::array({chart("Loss (nats per target token)",
                               {series("training", 4.5), series("validation", 4.25)}),
                         chart("BLEU on the validation set", {series("BLEU", 12.345)}),
                         chart("Learning rate", {series("learning rate", 0.001)}),
                         chart("Target tokens per second", {series("tokens/s", 900.0)})}));
  EXPECT_THAT(page, AllOf(HasSubstr("function chartScene("), HasSubstr("<div id=\"charts\">")));
}

// Two entries were the best at their time; the page marks only the last of them.
TEST(ReportPage, ListsValidationsAndTheAverage) {
  const std::string page = report_page(history());
  EXPECT_THAT(page, AllOf(HasSubstr("<td>12.35</td><td></td>"),
                          HasSubstr("<td>13.50</td><td>best average of snapshots</td>")));
}

TEST(ReportPage, ShowsSamplesWithACellForEachWeight) {
  const std::string page = report_page(history(), {sample()});
  EXPECT_THAT(page,
              AllOf(HasSubstr("a &lt;b&gt; c"), HasSubstr("reference &amp; co"),
                    HasSubstr(">▁y</text>"), HasSubstr("<title>▁y ← &lt;/s&gt;: 0.750</title>")));
  const std::regex cell("<rect ");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), cell), {}), 6);
}

TEST(ReportPage, ShowsSamplesOfModelsWithoutAttention) {
  train::Sample plain = sample();
  plain.attention = torch::Tensor();
  EXPECT_THAT(report_page(history(), {plain}),
              AllOf(HasSubstr("hypothesis"), Not(HasSubstr("<rect "))));
}

TEST(ReportPage, NeedsNoNetwork) {
  const std::string page = std::regex_replace(report_page(history(), {sample()}),
                                              std::regex("http://www.w3.org/2000/svg"), "");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("src=")), Not(HasSubstr("href=")),
                          Not(HasSubstr("import ")), Not(HasSubstr("url("))));
}

TEST(ReportPage, WorksWithAnEmptyHistory) {
  EXPECT_EQ(curves_of(report_page({}))[0]["series"][0]["points"], json::array());
}

TEST(RunReport, IsWrittenAtEveryValidation) {
  const attend::test::TempDir folder;
  folder.write("train.jsonl", history()[0].dump() + "\n" + history()[1].dump() + "\n");
  RunReport report(folder.path());
  train::ValidationReport validation;
  validation.result.samples = {sample()};
  report.on_validation(validation);
  EXPECT_THAT(attend::test::read_text(folder / "report.html"),
              AllOf(HasSubstr("[100.0,4.5]"), HasSubstr("hypothesis")));
}

TEST(RunReport, IsTitledByTheFolderNameForAnySpellingOfItsPath) {
  const attend::test::TempDir folder;
  std::filesystem::create_directory(folder / "x");
  for (const char* written : {"x", "x/", "x/."}) {
    RunReport(folder / written).write();
    EXPECT_THAT(attend::test::read_text(folder / "x/report.html"),
                HasSubstr("<title>Training of x</title>"))
        << written;
  }
}

}  // namespace
}  // namespace attend::app
