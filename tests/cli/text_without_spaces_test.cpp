// Targets without spaces between words, and other texts for which BLEU is meaningless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/experiment.h"
#include "config/load.h"
#include "metrics/tokenizer/tokenize_ja_mecab.h"
#include "tests/cli/program.h"
#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using test::Ended;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using train::BleuTokenizer;

class TextWithoutSpaces : public test::TrainFixture {
 protected:
  /// Replaces the target of the validation set.
  void write_references(const std::string& lines) const { dir.write("dev.tgt", lines); }

  BleuTokenizer saved() const {
    return config::load_trained<app::Experiment>(dir / "run/config.yaml")
        .training.validation.tokenize;
  }
};

// Regression: BLEU was 0.00 at every validation of a Japanese model, so its first weights were kept
// as the best.
TEST_F(TextWithoutSpaces, ChoosesTheTokenizerOfBleuByScript) {
  const auto japanese = metrics::has_mecab() ? BleuTokenizer::ja_mecab : BleuTokenizer::character;
  const std::pair<const char*, BleuTokenizer> cases[] = {
      {"犬は庭で寝ています。\n猫が魚を食べた。\n", japanese},
      {"狗在花园里睡觉。\n猫吃了鱼。\n", BleuTokenizer::zh},
      {"สุนัขนอนอยู่ในสวน\nแมวกินปลา\n", BleuTokenizer::character},
      {"Der Hund schläft.\nDie Katze fraß den Fisch.\n", BleuTokenizer::v13a},
      {"犬 は 庭 で 寝 て い ます 。\n猫 が 魚 を 食べ た 。\n", BleuTokenizer::v13a}};
  for (const auto& [references, expected] : cases) {
    write_references(references);
    const Ended ended = train({"--overwrite", "--set", "training.max_updates=1"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(saved(), expected) << references;
    EXPECT_THAT(ended.err,
                HasSubstr("BLEU's tokenizer: " + std::string(enum_name(expected)) + " ("));
  }
}

TEST_F(TextWithoutSpaces, KeepsTheTokenizerThatTheConfigNames) {
  write_references("狗在花园里睡觉。\n猫吃了鱼。\n");
  const Ended ended = train({"--set", "training.validation.tokenize=13a"});
  EXPECT_EQ(saved(), BleuTokenizer::v13a);
  EXPECT_THAT(ended.err, AllOf(Not(HasSubstr("BLEU's tokenizer:")),
                               HasSubstr("the target of the validation set has 1.0 words per line "
                                         "between spaces (Chinese)"),
                               HasSubstr("set it to zh")));
}

TEST_F(TextWithoutSpaces, ResumesWithTheTokenizerOfTheRun) {
  ASSERT_EQ(
      train({"--set", "training.max_updates=1", "--set", "training.validation.tokenize=intl"}).code,
      0);
  const Ended ended = train({"--resume"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(saved(), BleuTokenizer::intl);
}

TEST_F(TextWithoutSpaces, JudgesTheTrainingTextWhereThereIsNoValidationSet) {
  std::string target;
  for (int pair = 0; pair < 13; ++pair) target += "狗在花园里睡觉。\n";
  dir.write("train.tgt", target);
  ASSERT_EQ(train({"--set", "data.dev=null"}).code, 0);
  EXPECT_EQ(saved(), BleuTokenizer::zh);
}

TEST_F(TextWithoutSpaces, WarnsOfLinesOfOneWordOnEitherSide) {
  dir.write("dev.src", "a\nb\n");
  write_references("w\nx\n");
  EXPECT_THAT(
      train({}).err,
      AllOf(HasSubstr("the source of the validation set has about one word per line (1.0 between "
                      "spaces; Latin)"),
            HasSubstr("the target of the validation set has 1.0 words per line between spaces "
                      "(Latin), and BLEU with training.validation.tokenize: 13a")));
  EXPECT_THAT(train({"--overwrite", "--set", "training.validation.metric=loss"}).err,
              Not(HasSubstr("the target of the validation set")));
}

TEST_F(TextWithoutSpaces, IsNoCauseForWarningsOfOrdinaryText) {
  EXPECT_THAT(train({}).err, AllOf(HasSubstr("BLEU's tokenizer: 13a ("),
                                   Not(HasSubstr("words per line")), Not(HasSubstr("one word"))));
}

// Symptom: every translation into Chinese had ASCII commas, and every Thai "ำ" became two
// characters.
TEST_F(TextWithoutSpaces, WarnsOfReferencesThatTheTokenizerChanges) {
  std::string target;
  for (int pair = 0; pair < 13; ++pair) target += pair % 2 == 0 ? "好，好\n" : "好\n";
  dir.write("train.tgt", target);
  write_references("好\n好，好\n");
  EXPECT_THAT(train({"--dry-run"}).err,
              HasSubstr("50.0 % of the references of the validation set have characters that the "
                        "tokenizer replaces, such as \"，\" (U+FF0C) in line 2"));
  EXPECT_THAT(train({"--dry-run", "--set", "tokenizer.normalization=identity"}).err,
              Not(HasSubstr("replaces")));
  write_references("好\n好\n");
  EXPECT_THAT(train({"--dry-run"}).err, Not(HasSubstr("replaces")));
}

// Symptom: a picture of a Japanese pair had one row, and nothing said that pieces can be drawn.
TEST_F(TextWithoutSpaces, WarnsInAlignThatLinksAreBetweenWords) {
  std::string target;
  for (int pair = 0; pair < 13; ++pair) target += "狗在花园里睡觉。\n";
  dir.write("train.tgt", target);
  ASSERT_EQ(train({"--set", "training.max_updates=1"}).code, 0);
  const auto align = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"align", "--source", (dir / "train.src").string(), "--target",
                               (dir / "train.tgt").string()});
    return run_program(more).err;
  };
  const std::string model = (dir / "run").string();
  const auto found = HasSubstr("the target has 1.0 words per line between spaces (Chinese)");
  EXPECT_THAT(align({"--model", model}),
              AllOf(found, HasSubstr("give --level piece"), Not(HasSubstr("the source has"))));
  EXPECT_THAT(align({"--model", model, "--level", "piece"}), Not(found));
  EXPECT_THAT(align({"--method", "statistical"}), AllOf(found, HasSubstr("tokenise it first")));
}

TEST_F(TextWithoutSpaces, WarnsInEvalAndRerankWithATokenizerThatFits) {
  const auto text = dir.write("text", "犬は庭で寝ています。\n").string();
  const auto hint =
      AllOf(HasSubstr("the references have 1.0 words per line between spaces "
                      "(Japanese), and BLEU's tokenizer 13a"),
            HasSubstr(metrics::has_mecab() ? "give --tokenize ja-mecab" : "give --tokenize char"));
  const auto eval = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"eval", "--hypothesis", text, "--reference", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments).err;
  };
  EXPECT_THAT(eval({}), hint);
  EXPECT_EQ(eval({"--tokenize", "char"}), "");
  EXPECT_EQ(eval({"--metrics", "chrf"}), "");
  const auto n_best = dir.write("n", "0 ||| 犬 ||| -1\n").string();
  const std::vector<std::string> oracle = {"rerank", "--n-best", n_best, "--oracle", text};
  EXPECT_THAT(run_program(oracle).err, hint);
}

}  // namespace
}  // namespace attend::cli
