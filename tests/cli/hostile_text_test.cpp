// Hostile input: each kind has a defined result, and the output has as many lines as the input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "core/utf8.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::gzip;
using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::literals;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// A text, its number of lines, and the expected message on standard error ("": none).
struct Text {
  std::string name;
  std::string content;
  int64_t lines = 0;
  std::string says = {};
};

void PrintTo(const Text& text, std::ostream* out) {
  *out << text.name;
}

std::vector<Text> ill_formed_utf8() {
  const auto warned = [](const std::string& name, const std::string& bytes) {
    return Text{name, "a b\nc " + bytes + " d\nb\n", 3, "invalid UTF-8 in 1 line (first: line 2)"};
  };
  return {
      warned("BytesThatAreNeverUtf8", "\xFF\xFE"),
      warned("LoneContinuationByte", "\x80"),
      warned("CutCharacter", "\xE2\x82"),
      warned("OverlongSlash", "\xC0\xAF"),
      warned("OverlongNul", "\xE0\x80\x80"),
      warned("Surrogate", "\xED\xA0\x80"),
      warned("BeyondTheLastCodePoint", "\xF4\x90\x80\x80"),
      warned("FiveByteForm", "\xF8\x88\x80\x80\x80"),
      {"CharacterCutByTheEndOfFile", "a\nb \xE2\x96", 2, "(first: line 2)"},
      {"Latin1Everywhere", repeated("\xE4 \xF6\n", 1000), 1000, "in 1000 lines (first: line 1)"},
  };
}

std::vector<Text> unusual_characters() {
  return {
      {"Nul", "a\0b\n\0\nc\n"s, 3},
      {"ControlCharacters", "\x01\x02\x1B[2J \x7F\na\x0B\x0C b\n", 2},
      {"LineSeparatorAndNextLine", "a\u2028b\u2029c\u0085d\nb\n", 2},
      {"ByteOrderMarkInTheMiddle", "\uFEFFa b\nc \uFEFF d\n\uFEFFb\n", 3},
      {"CombiningCharacters", std::string("a") + repeated("\u0301", 5000) + " b\nc\n", 2},
      {"ZeroWidth", "a\u200B\u200C\u200D\u2060b\n\u200B\nc\n", 3},
      {"RightToLeftMarks", "\u202Ea b\u202C \u200F\u2067c\u2069\nb\n", 2},
      {"SpecialSymbols", "<s> a </s>\n</s>\n<unk> <pad>\n\u2581 \u2581a \u2581\u2581\n\u2047\n", 5},
      {"Noncharacters", "\uFFFE\uFFFF \U0010FFFF\nb\n", 2},
      {"EmojiSequences", "\U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F1E9\U0001F1EA\n", 1},
      {"MosesSeparator", "a ||| b\n", 1},
  };
}

std::vector<Text> line_ends() {
  return {
      {"CrLf", "a b\r\n\r\nc\r\n", 3}, {"LoneCr", "a\rb\r\nc\r", 2},
      {"NoFinalNewline", "a b\nc", 2}, {"Nothing", "", 0},
      {"OneLineFeed", "\n", 1},        {"OnlyBlanks", " \n\t\n\u3000\n", 3},
      {"Gzip", gzip("a b\n\nc\n"), 3},
  };
}

std::vector<Text> large_inputs() {
  constexpr std::size_t kMillion = 1'000'000;
  return {
      {"MillionEmptyLines", std::string(kMillion, '\n'), kMillion},
      {"LongLineOfWords", std::string("a\n") + repeated("a b ", 2'500'000) + "\nb\n", 3,
       "line 2 has"},
      {"LongLineWithoutBlanks", std::string("a\n") + std::string(10 * kMillion, 'x') + "\nb\n", 3},
      {"LongLineOfBlanks", std::string("a\n") + std::string(10 * kMillion, ' ') + "\nb\n", 3},
      {"LongLineOfIllFormedBytes",
       std::string("a\n") + std::string(10 * kMillion, '\xFF') + "\nb\n", 3, "invalid UTF-8"},
  };
}

std::vector<Text> all_texts() {
  std::vector<Text> all;
  for (const auto& group : {ill_formed_utf8(), unusual_characters(), line_ends(), large_inputs()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

/// A model for all tests.
class HostileText : public ::testing::TestWithParam<Text> {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] static Ended translate(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"translate", "--model", model_.path(), "--device", "cpu",
                                          "--beam",    "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_program(arguments);
  }

  static inline test::SuiteModel model_;
  TempDir dir_;
};

TEST_P(HostileText, GivesALineForEachLine) {
  const Text& text = GetParam();

  const Ended ended = translate({"--input", dir_.write("input", text.content).string()});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), text.lines);
  EXPECT_TRUE(ended.out.empty() || ended.out.back() == '\n');
  EXPECT_TRUE(utf8::is_valid(ended.out));
  EXPECT_THAT(ended.err, HasSubstr(text.says));
  EXPECT_THAT(ended.err, Not(HasSubstr("error")));
}

INSTANTIATE_TEST_SUITE_P(Texts, HostileText, ::testing::ValuesIn(all_texts()),
                         [](const auto& text) { return text.param.name; });

constexpr const char* kTinyConfig = R"(
tokenizer: {type: word, vocabulary: 100}
model: {embedding: 2, encoder: {hidden: 2}, decoder: {hidden: 2}}
)";

/// Missing and broken files.
class HostileFile : public HostileText {
 protected:
  void expect_error(const Ended& ended, const std::string& message) const {
    EXPECT_EQ(ended.code, 3);
    EXPECT_THAT(ended.err, HasSubstr(message));
  }

  [[nodiscard]] std::string fifo() const {
    const auto path = dir_ / "fifo";
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path.string();
  }

  [[nodiscard]] Ended train(const std::vector<std::string>& overrides) const {
    const auto text = dir_.write("text", "a b\nb a\na\nb\n").string();
    const auto config = dir_.write("config.yaml", kTinyConfig).string();
    std::vector<std::string> arguments = {"train", config, "--output", (dir_ / "run").string()};
    for (const std::string& override :
         {"data.train={source: " + text + ", target: " + text + "}", "training.max_updates=1"s})
      arguments.insert(arguments.end(), {"--set", override});
    for (const std::string& override : overrides)
      arguments.insert(arguments.end(), {"--set", override});
    return test::run_program(arguments);
  }
};

TEST_F(HostileFile, GzipCutInTheMiddle) {
  const std::string packed = gzip(repeated("a b c d\nb c\n", 200));
  const auto input = dir_.write("cut.gz", packed.substr(0, packed.size() / 2)).string();

  expect_error(translate({"--input", input}), "cut.gz: the gzip data ends too early");
}

TEST_F(HostileFile, GzipWithFlippedBit) {
  std::string packed = gzip("a b c d\nb c\n");
  packed[packed.size() - 6] ^= 0x55;
  const auto input = dir_.write("flipped.gz", packed).string();

  expect_error(translate({"--input", input}), "flipped.gz: damaged gzip data");
}

TEST_F(HostileFile, FolderForEveryFile) {
  const std::string folder = dir_.path().string();
  const std::string text = dir_.write("text", "a\n").string();
  const std::string message = "is a folder";
  expect_error(translate({"--input", folder}), message);
  expect_error(translate({"--input", text, "--prefix", folder}), message);
  expect_error(translate({"--input", text, "--output", folder}), "a folder has this name");
  expect_error(translate({"--input", text, "--attention", folder}), "a folder has this name");
  expect_error(
      test::run_program({"score", "--model", model_.path(), "--source", folder, "--target", text}),
      message);
  expect_error(test::run_program({"eval", "--hypothesis", folder, "--reference", text}), message);
  const std::string gold = dir_.write("gold", "0-0\n").string();
  expect_error(test::run_program({"align", "--links", folder, "--gold", gold}), message);
  expect_error(test::run_program({"align", "--links", gold, "--gold", folder}), message);
  expect_error(train({"data.dev={source: " + folder + ", target: " + folder + "}"}), message);
  expect_error(train({"tokenizer.model=" + folder}), message);
  EXPECT_EQ(test::run_program({"train", folder}).code, 2);
}

// Texts that are read once may be pipes (see tests/e2e); these are read more than once.
TEST_F(HostileFile, PipeForTrainingText) {
  const std::string pipe = fifo();
  const std::string message = "is a pipe or a device";
  expect_error(train({"data.train={source: " + pipe + ", target: " + pipe + "}"}), message);
  expect_error(train({"data.dev={source: " + pipe + ", target: " + pipe + "}"}), message);
  expect_error(train({"training.guided_alignment.links=" + pipe}), message);
  expect_error(train({"tokenizer.model=" + pipe}), message);
  expect_error(train({"data.train={source: /dev/zero, target: /dev/zero}"}), message);
}

TEST_F(HostileFile, PipeForWeights) {
  const auto copy = dir_ / "model";
  std::filesystem::copy(model_.path(), copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove(copy / "best.safetensors");
  ASSERT_EQ(::mkfifo((copy / "best.safetensors").c_str(), 0600), 0);

  expect_error(test::run_program({"translate", "--model", copy.string()}), "not a file");
}

// Regression: one line of 3 MB took attend score 14.8 GB.
TEST_F(HostileFile, LineOfManyPiecesToScore) {
  const auto score = [&](const std::string& source, const std::string& target) {
    return test::run_program({"score", "--model", model_.path(), "--source",
                              dir_.write("source", source).string(), "--target",
                              dir_.write("target", target).string()});
  };
  const auto longest = [](const std::string& word) { return repeated(word, 25'000) + "\n"; };
  const std::string message = "line 2 has more than 20000 pieces";
  expect_error(score("a\n" + longest("a "), "w\nw\n"), message);
  expect_error(score("a\na\n", "w\n" + longest("w ")), message);
}

TEST_F(HostileFile, FullDevice) {
  const std::string input = dir_.write("input", repeated("a b c\n", 200)).string();
  const std::string message = "/dev/full: cannot write: No space left on device";

  expect_error(translate({"--input", input, "--output", "/dev/full"}), message);
  expect_error(translate({"--input", input, "--attention", "/dev/full"}), message);
  expect_error(translate({"--input", input, "--alignments", "/dev/full"}), message);
}

TEST_F(HostileFile, PipeThatNobodyReads) {
  const std::string input = dir_.write("input", "a\n").string();

  expect_error(translate({"--input", input, "--attention", fifo()}), "cannot write");
}

// Messages shorten words and escape control characters.
TEST_F(HostileFile, MalformedLinks) {
  const std::string gold = dir_.write("gold", "0-0\n").string();
  const std::string word = "\x1b[2J" + std::string(1'000'000, 'x');
  const std::string links = dir_.write("links", "0-0 " + word + "\n").string();

  const Ended ended = test::run_program({"align", "--links", links, "--gold", gold});

  expect_error(ended, "links:1:5: \"?[2Jxxx");
  EXPECT_LT(ended.err.size(), 1000U);
}

TEST_F(HostileFile, TenMegabytesOfLinksOnOneLine) {
  const std::string line = repeated("1-2 ", 2'500'000) + "\n";
  const std::string links = dir_.write("links", line).string();

  const Ended ended = test::run_program({"align", "--links", links, "--gold", links});

  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(HostileFile, EveryTextAsHypothesisAndReference) {
  for (const auto& group : {ill_formed_utf8(), unusual_characters(), line_ends()}) {
    for (const Text& text : group) {
      if (text.lines == 0) continue;
      const std::string file = dir_.write("file", text.content).string();
      const Ended ended = test::run_program(
          {"eval", "--hypothesis", file, "--reference", file, "--metrics", "bleu,chrf,ter,exact"});
      EXPECT_EQ(ended.code, 0) << text.name << ended.err;
      EXPECT_THAT(ended.out, HasSubstr("100.0")) << text.name;
    }
  }
}

TEST_F(HostileFile, AllTextsAsTrainingText) {
  std::string all;
  for (int line = 0; line < 2000; ++line) all += "a b\n";  // most lines must be UTF-8
  for (const auto& group : {ill_formed_utf8(), unusual_characters(), line_ends()}) {
    for (const Text& text : group) {
      if (text.name != "Gzip") all += text.content + "\n";
    }
  }
  const std::string file = dir_.write("file", all).string();

  const Ended ended =
      train({"data.train={source: " + file + ", target: " + file + "}",
             "data.dev={source: " + file + ", target: " + file + "}", "data.max_length=20"});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("invalid UTF-8"));
  EXPECT_THAT(ended.err, Not(HasSubstr("error")));
}

}  // namespace
}  // namespace attend::cli
