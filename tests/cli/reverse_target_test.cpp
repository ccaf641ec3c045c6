// data.reverse_target: a model that writes from the last word to the first equals a model of
// reversed text, except for its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/train_fixture.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using nlohmann::json;
using test::Ended;
using test::run_program;
using testing::HasSubstr;

std::string turned(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    std::ranges::reverse(words);
    for (std::size_t i = 0; i < words.size(); ++i) result += (i == 0 ? "" : " ") + words[i];
    result += "\n";
  }
  return result;
}

class ReverseTarget : public test::TrainFixture {
 protected:
  static std::vector<std::string> set(const std::vector<std::string>& settings) {
    std::vector<std::string> arguments;
    for (const std::string& setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  }
  std::string at(const std::string& name) const { return (dir / name).string(); }
  Ended backward(const std::string& output = "backward") const {
    return train(set({"data.reverse_target=true", "training.max_epochs=6"}), output);
  }
  // Trained on the same text with reversed target lines.
  Ended of_turned_text() const {
    for (const char* name : {"train", "dev"})
      dir.write(std::string(name) + ".turned",
                turned(read_text(dir / (std::string(name) + ".tgt"))));
    return train(
        set({"data.train.target=" + at("train.turned"), "data.dev.target=" + at("dev.turned"),
             "tokenizer.model=[" + at("backward/source.model") + ", " +
                 at("backward/target.model") + "]",
             "training.max_epochs=6"}),
        "turned");
  }
  Ended run(const std::string& command, const std::string& model,
            const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {command,     "--model", at(model),
                                          "--threads", "1",       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
};

TEST_F(ReverseTarget, TrainsLikeReversedTextAndWritesTheReversedOutput) {
  ASSERT_EQ(backward().code, 0);
  ASSERT_EQ(of_turned_text().code, 0);
  EXPECT_EQ(history("backward"), history("turned"));
  const std::vector<std::string> best = {"--input", at("train.src")};
  EXPECT_EQ(run("translate", "backward", best).out, turned(run("translate", "turned", best).out));
  EXPECT_EQ(
      run("score", "backward", {"--source", at("train.src"), "--target", at("train.tgt")}).out,
      run("score", "turned", {"--source", at("train.src"), "--target", at("train.turned")}).out);
}

TEST_F(ReverseTarget, HasAttentionAndLinksInReadingOrder) {
  ASSERT_EQ(backward().code, 0);
  ASSERT_EQ(of_turned_text().code, 0);
  const auto record = [&](const std::string& model, const std::string& target) {
    const Ended ended = run("align", model,
                            {"--source", at("dev.src"), "--target", at(target), "--format", "jsonl",
                             "--level", "piece", "--shift", "0"});
    return json::parse(ended.out.substr(0, ended.out.find('\n')));
  };
  json expected = record("turned", "dev.turned");
  for (const char* field : {"target", "attention"})
    std::reverse(expected[field].begin(), expected[field].end() - 1);
  ASSERT_EQ(expected["attention"].size(), 3U);
  EXPECT_EQ(record("backward", "dev.tgt"), expected);
  const auto best = [&](const std::string& model) {
    (void)run("translate", model, {"--input", at("dev.src"), "--attention", at("weights")});
    const std::string text = read_text(dir / "weights");
    return json::parse(text.substr(0, text.find('\n')));
  };
  json translation = best("turned");
  for (const char* field : {"target", "attention"})
    std::reverse(translation[field].begin(), translation[field].end() - 1);
  EXPECT_EQ(best("backward"), translation);
}

TEST_F(ReverseTarget, IsRefusedInAnEnsembleWithTheOtherDirection) {
  ASSERT_EQ(backward().code, 0);
  ASSERT_EQ(train({}, "forward").code, 0);
  const Ended ensemble =
      run("translate", "forward", {"--model", at("backward"), "--input", at("dev.src")});
  EXPECT_EQ(ensemble.code, 2);
  EXPECT_THAT(ensemble.err, HasSubstr("data.reverse_target"));
  const Ended average =
      run_program({"average", "--output", at("mean"), at("forward"), at("backward")});
  EXPECT_EQ(average.code, 3);
  EXPECT_THAT(average.err, HasSubstr("data.reverse_target is true"));
  const Ended resumed = train({"--resume", "--set", "data.reverse_target=true"}, "forward");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("data.reverse_target"));
  const Ended tuned = train(set({"training.init_from=" + at("backward")}), "tuned");
  EXPECT_EQ(tuned.code, 2);
  EXPECT_THAT(tuned.err, HasSubstr("data.reverse_target: false, but the model to start from"));
}

TEST_F(ReverseTarget, ShowsNoAttentionOfItsLayers) {
  ASSERT_EQ(backward().code, 0);
  const Ended ended = run_program({"translate", "--model", at("backward"), "--input", at("dev.src"),
                                   "--attention", at("weights"), "--attention-kinds", "all"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--attention-kinds: not supported for the model in"));
}

TEST_F(ReverseTarget, RefusesAPrefix) {
  ASSERT_EQ(backward().code, 0);
  const Ended ended =
      run("translate", "backward", {"--input", at("dev.src"), "--prefix", at("dev.tgt")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--prefix sets the beginning of translations"));
}

TEST_F(ReverseTarget, DoesNotReuseTheTokenCacheOfTheOtherDirection) {
  ASSERT_EQ(train({"--set", "training.max_epochs=1"}, "run").code, 0);
  const Ended again =
      train({"--overwrite", "--set", "training.max_epochs=1", "--set", "data.reverse_target=true"},
            "run");
  EXPECT_THAT(again.err, testing::Not(HasSubstr("training set: loaded from the token cache")));
}

TEST_F(ReverseTarget, WorksWithAJointVocabulary) {
  ASSERT_EQ(train(set({"data.reverse_target=true", "tokenizer.joint=true"}), "joint").code, 0);
  EXPECT_EQ(run("translate", "joint", {"--input", at("dev.src")}).code, 0);
  EXPECT_THAT(run_program({"inspect", at("joint")}).out, HasSubstr("(joint)"));
}

}  // namespace
}  // namespace attend::cli
