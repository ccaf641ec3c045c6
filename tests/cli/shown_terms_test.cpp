// data.terms and translate --glossary-mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMarked = "b \u27E6<\u27E7 a \u27E6=\u27E7 z \u27E6>\u27E7 c";

/// A hardly trained model that reads terms, and one that does not.
class ShownTerms : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    models_.emplace();
    std::string links;
    for (int i = 0; i < 3; ++i) links += "0-0 1-1\n1-1\n0-0 1-1 2-2 3-3\n\n";
    train("shown", {"tokenizer.joint=true", "data.terms.share=1",
                    "data.terms.links=" + models_->write("links", links).string()});
    train("plain", {});
  }
  static void TearDownTestSuite() { models_.reset(); }

  static void train(const std::string& name, std::vector<std::string> settings) {
    settings.insert(settings.end(),
                    {"tokenizer.type=char", "tokenizer.vocabulary=40", "data.max_length=60",
                     "training.max_updates=4", "training.learning_rate=0.05"});
    (void)test::train_tiny_model(*models_, name, settings);
  }
  [[nodiscard]] Ended run(const std::string& model, const std::string& text,
                          std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"translate", "--model", (*models_ / model).string(), "--input",
                      dir_.write("input", text).string(), "--device", "cpu"});
    return test::run_program(arguments);
  }
  [[nodiscard]] std::string translated(const std::string& text,
                                       const std::vector<std::string>& arguments) const {
    const Ended ended = run("shown", text, arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  }
  /// The text of the pieces that the model reads.
  [[nodiscard]] std::string read(const std::string& text,
                                 std::vector<std::string> arguments = {}) const {
    const auto file = dir_ / "pieces";
    arguments.insert(arguments.end(), {"--attention", file.string()});
    (void)translated(text + "\n", arguments);
    const auto record = nlohmann::json::parse(read_text(file));
    std::string pieces;
    for (const auto& piece : record["source"]) pieces += piece.get<std::string>();
    return pieces;
  }
  [[nodiscard]] std::vector<std::string> with(const char* mode) const {
    return {"--scores", "--glossary", glossary_, "--glossary-mode", mode};
  }

  static inline std::optional<TempDir> models_;
  TempDir dir_;
  std::string glossary_ = dir_.write("terms", "a\tz|w\n").string();
};

TEST_F(ShownTerms, AreReadBesideTheirSources) {
  const std::vector<std::string> soft = {"--glossary", glossary_, "--glossary-mode", "soft"};
  EXPECT_EQ(
      read("b a c", soft),
      "\u2581b\u2581\u27E6<\u27E7\u2581a\u2581\u27E6=\u27E7\u2581z\u2581\u27E6>\u27E7\u2581c</s>");
  EXPECT_NE(translated("b a c\n", {"--scores"}), translated("b a c\n", with("soft")));
  EXPECT_EQ(translated("b b c\n", with("soft")), translated("b b c\n", {"--scores"}));
}

// Symptom: a text with "⟦<⟧" was read as a marked term, and the symbols were lost.
TEST_F(ShownTerms, AreNotInTheTextOfTheUser) {
  EXPECT_THAT(read(kMarked), Not(HasSubstr("\u27E6<\u27E7")));
  EXPECT_THAT(
      translated(std::string(kMarked) + "\n", {}),
      AllOf(HasSubstr("\u27E6<\u27E7"), HasSubstr("\u27E6=\u27E7"), HasSubstr("\u27E6>\u27E7")));
}

// Symptom: a glossary or a constraint with a symbol changed what the model read or wrote.
TEST_F(ShownTerms, HaveNoSymbolsInFiles) {
  for (const char* term : {"a \u27E6<\u27E7\tz\n", "b\tz \u27E63\u27E7\n"}) {
    dir_.write("terms", std::string("c\tw\n") + term);
    const Ended ended = run("shown", "a\n", with("soft"));
    EXPECT_EQ(ended.code, 3);
    EXPECT_THAT(ended.err, HasSubstr("terms:2: \""));
    EXPECT_THAT(ended.err, HasSubstr("which stands for protected parts and terms"));
  }
  const Ended ended = run("shown", "a\na\n",
                          {"--constraints", dir_.write("c", "[\"z\"]\n[\"\u27E6=\u27E7 z\"]\n")});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("c:2:2: \"\u27E6=\u27E7 z\" has \"\u27E6=\u27E7\""));
}

TEST_F(ShownTerms, NeverCutALine) {
  std::string line = "a";
  while (line.size() < 56) line += " b";  // data.max_length is 60
  const Ended shown = run("shown", line + "\n", with("soft"));
  EXPECT_EQ(shown.out, translated(line + "\n", {"--scores"}));
  EXPECT_EQ(shown.err.find("data.max_length"), std::string::npos) << shown.err;
}

TEST_F(ShownTerms, AreRequiredAsWellIfAsked) {
  dir_.write("terms", "a\tz z w\n");
  const auto both = translated("b a c\n\nc\n", with("both"));
  EXPECT_THAT(both, HasSubstr("z z w"));
  EXPECT_NE(both, translated("b a c\n\nc\n", with("hard")));
}

// Attention refers to the text of the user, who never sees the marks.
TEST_F(ShownTerms, KeepTheWordsOfTheTextInAttention) {
  auto arguments = with("soft");
  const auto file = dir_ / "attention";
  arguments.insert(arguments.end(), {"--attention", file.string(), "--level", "word"});
  const std::string marked = translated("b a c\n", arguments);
  const auto record = nlohmann::json::parse(read_text(file));
  EXPECT_EQ(record["source"], nlohmann::json::parse(R"(["b", "a", "c", "</s>"])"));
  for (const auto& row : record["attention"]) {
    double sum = 0.0;
    for (const auto& weight : row) sum += weight.get<double>();
    EXPECT_NEAR(sum, 1.0, 1e-5);
    EXPECT_GT(row[1].get<double>(), row[0].get<double>());  // most of the pieces
  }
}

TEST_F(ShownTerms, NeedAGlossaryAndAModelThatReadsThem) {
  const Ended without = run("shown", "a\n", {"--glossary-mode", "soft"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("give --glossary FILE"));
  const Ended plain = run("plain", "a\n", with("soft"));
  EXPECT_EQ(plain.code, 2);
  EXPECT_THAT(plain.err, AllOf(HasSubstr("plain was trained without data.terms"),
                               HasSubstr("choose --glossary-mode hard")));
  EXPECT_EQ(run("plain", "a\n", with("hard")).code, 0);
}

TEST_F(ShownTerms, NeedAJointTokenizer) {
  EXPECT_THAT([] { train("apart", {"data.terms.links=" + (*models_ / "links").string()}); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr(
                  "a tokenizer of the source alone cannot write the translations of terms")));
}

}  // namespace
}  // namespace attend::cli
