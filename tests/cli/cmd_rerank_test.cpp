#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using test::run_program;
using testing::HasSubstr;

class RerankCommand : public testing::Test {
 protected:
  Ended rerank(std::vector<std::string> more) const {
    more.insert(more.begin(), {"rerank", "--n-best", n_best_, "--feature", "good=" + good_});
    return run_program(more);
  }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }

  TempDir dir_;
  std::string n_best_ =
      dir_.write("n", "0 ||| a x ||| -1\n0 ||| a b ||| -2\n1 ||| c ||| -1\n2 |||  ||| 0\n")
          .string();
  std::string good_ = dir_.write("good", "-5\n-1\n-3\n0\n").string();
  std::string reference_ = dir_.write("reference", "a b\nc\n\n").string();
};

TEST_F(RerankCommand, WritesALinePerInputLineByTunedWeights) {
  const Ended tuned = rerank({"--tune", reference_, "--metric", "chrf", "--output", at("w.json")});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(tuned.out, "");
  EXPECT_THAT(tuned.err, HasSubstr("100.00 with these weights"));
  EXPECT_THAT(read_text(dir_ / "w.json"), HasSubstr("\"metric\": \"chrF2|nrefs:1|"));
  const Ended chosen = rerank({"--weights", at("w.json")});
  ASSERT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_EQ(chosen.out, "a b\nc\n\n");
}

TEST_F(RerankCommand, ReadsTheOutputOfTranslate) {
  const auto model = test::train_tiny_model(dir_, "model", {}).string();
  const auto source = dir_.write("source", "a b\n\nc d\n").string();
  ASSERT_EQ(run_program({"translate", "--model", model, "--input", source, "--n-best", "2",
                         "--output", at("lists")})
                .code,
            0);
  const auto weights = dir_.write("w", R"({"weights": {"score": 1}})").string();
  const Ended chosen = run_program({"rerank", "--n-best", at("lists"), "--weights", weights});
  const Ended best = run_program({"translate", "--model", model, "--input", source});
  EXPECT_EQ(chosen.out, best.out);
}

TEST_F(RerankCommand, NeedsOneWayToChoose) {
  for (const std::vector<std::string>& ways :
       {std::vector<std::string>{}, {"--tune", reference_, "--oracle", reference_}}) {
    const Ended ended = rerank(ways);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("give exactly one of --weights FILE"));
  }
}

TEST_F(RerankCommand, ExplainsTheFormatOfFeatures) {
  const Ended ended =
      run_program({"rerank", "--n-best", n_best_, "--feature", good_, "--tune", reference_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("expected NAME=FILE"));
}

// Regression: an internal error after all tuning, when the weights were written.
TEST_F(RerankCommand, RefusesNamesThatAreNotUtf8) {
  const Ended ended = run_program(
      {"rerank", "--n-best", n_best_, "--feature", "\xE9=" + good_, "--tune", reference_});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("is not UTF-8"));
}

}  // namespace
}  // namespace attend::cli
