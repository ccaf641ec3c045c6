#include <gmock/gmock.h>

#include <algorithm>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A model whose vocabulary is a, b, c and d.
class TranslateMarkup : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] Ended translate(const std::string& text, std::vector<std::string> options) const {
    options.insert(options.begin(), {"translate", "--model", model_.path(), "--input",
                                     dir_.write("input", text).string(), "--device", "cpu"});
    return test::run_program(options);
  }
  /// The translation of a text on a line of its own.
  [[nodiscard]] std::string alone(const std::string& text) const {
    std::string line = translate(text + "\n", {}).out;
    line.pop_back();
    return line;
  }

  static inline test::SuiteModel model_;
  TempDir dir_;
};

TEST_F(TranslateMarkup, TranslatesTheTextWithoutItsTags) {
  const Ended ended =
      translate("<p> a b c </p>\n\n<br/>\n&lt;&#97; <!-- a\nb --> b\n", {"--markup", "xml"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "<p> " + alone("a b c") + " </p>\n\n<br/>\n" + alone("<a") +
                           " <!-- a\nb --> " + alone("b") + "\n");
  EXPECT_THAT(ended.err, HasSubstr("translated 5 lines"));
}

TEST_F(TranslateMarkup, KeepsEachTagOnceInsideOfItsElement) {
  const Ended ended = translate("a <b x='1'>b <i>c</i></b> <br/>d\n", {"--markup", "xml"});
  EXPECT_THAT(ended.out, ::testing::MatchesRegex("[^<]*(<br/>)?[^<]*<b x='1'>[^<]*<i>[^<]*</i>[^<]*"
                                                 "</b>[^<]*(<br/>)?[^<]*\n"));
  std::string text = ended.out;
  EXPECT_THAT(text, HasSubstr("<br/>"));
}

TEST_F(TranslateMarkup, TranslatesSentencesOfDocuments) {
  EXPECT_EQ(
      translate("<li>a b c . d a !</li>\r\n  - <b>c</b>\n", {"--markup", "html", "--document"}).out,
      "<li>" + alone("a b c .") + " " + alone("d a !") + "</li>\r\n  - <b>" + alone("c") +
          "</b>\n");
  EXPECT_EQ(
      translate("# a b\n\n```\na b\n```\n- **c d**", {"--markup", "markdown", "--document"}).out,
      "# " + alone("a b") + "\n\n```\na b\n```\n- **" + alone("c d") + "**");
}

TEST_F(TranslateMarkup, GivesTheSameBytesWithAnyNumberOfThreadsAndBatchSize) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += i % 5 == 3 ? "\n" : "<p>a <b>b c</b> d</p>" + std::string(i % 3, 'a') + "<td>b</td>\n";
  const std::string once = translate(text, {"--markup", "html"}).out;
  EXPECT_EQ(std::ranges::count(once, '\n'), 200);
  EXPECT_EQ(translate(text, {"--markup", "html", "--threads", "2", "--batch-size", "2"}).out, once);
}

TEST_F(TranslateMarkup, RequiresPhrasesInsideOfTags) {
  const auto constraints = dir_.write("constraints", "[\"z z\"]\n\n").string();
  const Ended ended =
      translate("<p>a <b>b</b></p>\n<b></b>\n", {"--markup", "xml", "--constraints", constraints});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(::testing::ContainsRegex("z.*z"), ::testing::EndsWith("</p>\n<b></b>\n")));
  const Ended two = translate(
      "\n<p>a</p><p>b</p>\n",
      {"--markup", "html", "--constraints", dir_.write("constraints", "\n[\"z\"]\n").string()});
  EXPECT_EQ(two.code, 3) << two.err;
  EXPECT_THAT(two.err, AllOf(HasSubstr("constraints:2"), HasSubstr("2 texts")));
}

TEST_F(TranslateMarkup, FindsTermsInTheTextWithoutTags) {
  const auto glossary = dir_.write("glossary", "a b\tz z\n").string();
  EXPECT_THAT(translate("<i>a</i> b\n", {"--markup", "xml", "--glossary", glossary}).out,
              ::testing::ContainsRegex("z.*z"));
}

TEST_F(TranslateMarkup, WarnsOfAPartThatDoesNotEnd) {
  EXPECT_THAT(translate("a\nb <!-- c\nd\n", {"--markup", "html"}).err,
              AllOf(HasSubstr("line 2"), HasSubstr("\"<!--\"")));
  EXPECT_THAT(translate("a\n<!-- c\nd-->\n", {"--markup", "html"}).err,
              Not(HasSubstr("does not end")));
}

TEST_F(TranslateMarkup, RefusesOptionsThatAreForLines) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--n-best", "2"},
                                             {"--scores"},
                                             {"--prefix", "prefixes"},
                                             {"--attention", "a.jsonl"},
                                             {"--alignments", "links"},
                                             {"--heatmaps", "maps"},
                                             {"--shard", "1/2"},
                                             {"--resume"}}) {
    std::vector<std::string> all = options;
    all.insert(all.begin(), {"--markup", "xml"});
    const Ended ended = translate("a\n", all);
    EXPECT_EQ(ended.code, 2) << options.front();
    EXPECT_THAT(ended.err, AllOf(HasSubstr(options.front()), HasSubstr("--markup")));
  }
}

TEST_F(TranslateMarkup, RefusesModelsWithoutAttentionAndOfSeveralSources) {
  const std::string text = dir_.write("train.src", "a b c\n").string();
  const auto two = test::train_tiny_model(
      dir_, "two", {"data.train.source={\"to\":" + text + ",\"fro\":" + text + "}"});
  Ended ended = test::run_program({"translate", "--model", two.string(), "--markup", "xml",
                                   "--device", "cpu", "--input", "to=" + text + ",fro=" + text});
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--markup"), HasSubstr("2 sources")));
  const auto none = test::train_tiny_model(dir_, "none", {"model.decoder.wiring=none"});
  ended = test::run_program({"translate", "--model", none.string(), "--markup", "xml", "--device",
                             "cpu", "--input", text});
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--markup"), HasSubstr("attention")));
}

TEST_F(TranslateMarkup, SamplesAndChoosesByMinimumBayesRisk) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--markup", "xml", "--mbr"}, {"--markup", "xml", "--sample"}}) {
    const Ended ended = translate("<a>a b</a> c d\n\n<p/>a\n", options);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("<a>"), HasSubstr("</a>"), HasSubstr("<p/>")));
    EXPECT_EQ(std::ranges::count(ended.out, '\n'), 3);
  }
}

}  // namespace
}  // namespace attend::cli
