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
class TranslateDocument : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] Ended translate(const std::string& text, std::vector<std::string> options) const {
    options.insert(options.begin(), {"translate", "--model", model_.path(), "--input",
                                     dir_.write("input", text).string(), "--device", "cpu"});
    return test::run_program(options);
  }
  [[nodiscard]] Ended translate_document(const std::string& text) const {
    return translate(text, {"--document"});
  }
  /// The translation of a sentence on a line of its own.
  [[nodiscard]] std::string alone(const std::string& sentence) const {
    std::string line = translate(sentence + "\n", {}).out;
    line.pop_back();
    return line;
  }

  static inline test::SuiteModel model_;
  TempDir dir_;
};

TEST_F(TranslateDocument, TranslatesEachSentenceByItself) {
  const Ended ended = translate_document("# a b\n\n  - a b c . d a !  b  \n---\n> c\n");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "# " + alone("a b") + "\n\n  - " + alone("a b c .") + " " + alone("d a !") +
                           "  " + alone("b") + "  \n---\n> " + alone("c") + "\n");
  EXPECT_THAT(ended.err, HasSubstr("translated 5 lines"));
}

TEST_F(TranslateDocument, KeepsLineEnds) {
  EXPECT_EQ(translate_document("a b\r\n\r\nc\n d").out,
            alone("a b") + "\r\n\r\n" + alone("c") + "\n " + alone("d"));
  EXPECT_EQ(translate_document("").out, "");
  EXPECT_EQ(translate_document("\n").out, "\n");
}

TEST_F(TranslateDocument, GivesTheSameBytesWithAnyNumberOfThreadsAndBatchSize) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += i % 5 == 3 ? "\n" : std::string(i % 3, ' ') + "* a b . c d ! b c a a\n";
  const std::string once = translate_document(text).out;
  EXPECT_EQ(std::ranges::count(once, '\n'), 200);
  EXPECT_EQ(translate(text, {"--document", "--threads", "2", "--batch-size", "2"}).out, once);
}

TEST_F(TranslateDocument, CutsLongSentencesAtClausesAndSaysSo) {
  const std::string clause = "a b c d a b c d ,";
  const Ended ended = translate_document("b\n" + clause + " " + clause + " c\n");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, alone("b") + "\n" + alone(clause) + " " + alone(clause + " c") + "\n");
  EXPECT_THAT(ended.err, AllOf(HasSubstr("line 2 has a sentence"), HasSubstr("after clauses"),
                               Not(HasSubstr("not translated"))));
}

TEST_F(TranslateDocument, CutsLongSentencesBetweenWordsWithoutClauses) {
  std::string words = "a b c d a b c d a b c d";
  const Ended ended = translate_document(words + " b c\n");
  EXPECT_EQ(ended.out, alone(words) + " " + alone("b c") + "\n");
  EXPECT_THAT(ended.err, AllOf(HasSubstr("line 1 has a sentence"), HasSubstr("between words")));
}

TEST_F(TranslateDocument, RefusesOptionsThatAreForLines) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--n-best", "2"},
                                             {"--scores"},
                                             {"--prefix", "prefixes"},
                                             {"--long-lines", "skip"},
                                             {"--attention", "a.jsonl"},
                                             {"--alignments", "links"},
                                             {"--heatmaps", "maps"},
                                             {"--shard", "1/2"},
                                             {"--resume"}}) {
    std::vector<std::string> all = options;
    all.insert(all.begin(), "--document");
    const Ended ended = translate("a\n", all);
    EXPECT_EQ(ended.code, 2) << options.front();
    EXPECT_THAT(ended.err, AllOf(HasSubstr(options.front()), HasSubstr("would have no effect")));
  }
}

TEST_F(TranslateDocument, RefusesModelsOfSeveralSources) {
  const std::string text = dir_.write("train.src", "a b c\n").string();
  const auto model = test::train_tiny_model(
      dir_, "two", {"data.train.source={\"to\":" + text + ",\"fro\":" + text + "}"});
  const Ended ended =
      test::run_program({"translate", "--model", model.string(), "--document", "--device", "cpu",
                         "--input", "to=" + text + ",fro=" + text});
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("--document"), HasSubstr("2 sources")));
}

TEST_F(TranslateDocument, SamplesAndChoosesByMinimumBayesRisk) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--document", "--mbr"}, {"--document", "--sample"}}) {
    const Ended ended = translate("a b . c d\n\na\n", options);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.out, '\n'), 3);
  }
}

}  // namespace
}  // namespace attend::cli
