#include "text/tokenizer_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "config/load.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "tests/text/toy_model.h"
#include "text/tokenizer.h"

namespace attend::text {
namespace {

using test::from;
using test::toy_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> numbered_lines(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(std::to_string(i));
  return lines;
}

TokenizerOptions options_of(TokenizerType type, int64_t vocabulary = 60) {
  TokenizerOptions options;
  options.type = type;
  options.vocabulary = vocabulary;
  return options;
}

TEST(SampleLines, KeepsAllLinesInOrderIfTheyFit) {
  EXPECT_EQ(sample_lines(from({"b", "", "a", "c"}), 3, 1),
            (std::vector<std::string>{"b", "a", "c"}));
}

TEST(SampleLines, TakesDifferentLinesUpToTheBound) {
  const auto sample = sample_lines(from(numbered_lines(1000)), 100, 1);
  EXPECT_EQ(sample.size(), 100U);
  EXPECT_EQ(std::set<std::string>(sample.begin(), sample.end()).size(), 100U);
}

TEST(SampleLines, DependsOnTheSeedAlone) {
  const auto draw = [](uint64_t seed) {
    return sample_lines(from(numbered_lines(1000)), 10, seed);
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

// 400 draws of 10 out of 40 lines: each line is drawn 100 times on average, with a standard
// deviation of sqrt(400 * 1/4 * 3/4) = 8.7; 45 is more than 5 of these.
TEST(SampleLines, GivesEveryLineTheSameChance) {
  std::vector<int> drawn(40);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    for (const auto& line : sample_lines(from(numbered_lines(40)), 10, seed))
      ++drawn[std::stoul(line)];
  }
  for (const int count : drawn) EXPECT_NEAR(count, 100, 45);
}

TEST(SampleLines, SkipsVeryLongLines) {
  EXPECT_EQ(sample_lines(from({std::string(16385, 'a'), std::string(16384, 'b')}), 5, 1),
            (std::vector<std::string>{std::string(16384, 'b')}));
}

class TrainTokenizer : public ::testing::TestWithParam<TokenizerType> {};

TEST_P(TrainTokenizer, GivesTheSameBytesForTheSameText) {
  const auto train = [&] {
    return train_tokenizer(options_of(GetParam()), false, from(toy_text()));
  };
  EXPECT_EQ(train(), train());
}

TEST_P(TrainTokenizer, PutsTheSpecialSymbolsFirst) {
  const test::TempDir folder;
  const Tokenizer tokenizer(test::toy_model(folder, GetParam()), false);
  EXPECT_EQ(tokenizer.piece(kPad), "<pad>");
  EXPECT_EQ(tokenizer.piece(kUnk), "<unk>");
  EXPECT_EQ(tokenizer.piece(kBos), "<s>");
  EXPECT_EQ(tokenizer.piece(kEos), "</s>");
}

TEST_P(TrainTokenizer, IsSmallerIfTheTextHasFewerPieces) {
  const test::TempDir folder;
  const auto model = train_tokenizer(options_of(GetParam(), 8000), false, from(toy_text()));
  const Tokenizer tokenizer(folder.write("m", model), false);
  EXPECT_GT(tokenizer.size(), kSpecialSymbols);
  EXPECT_LT(tokenizer.size(), 200);
}

TEST_P(TrainTokenizer, RejectsTextWithoutWords) {
  for (const auto& lines :
       std::vector<std::vector<std::string>>{{}, {"", ""}, {" ", "\t", "\x01", "\u00A0"}}) {
    EXPECT_THAT(
        [&] { (void)train_tokenizer(options_of(GetParam()), false, from(lines)); },
        ::testing::ThrowsMessage<DataError>(HasSubstr("only empty, blank or overlong lines")));
  }
}

TEST_P(TrainTokenizer, AcceptsItsOwnMarksAndControlCharactersInTheText) {
  const std::vector<std::string> lines = {
      "<s> a </s> <unk> <pad>", "<s><s><s>", "▁▁ a ▁", "a \u2585 b",
      std::string("a\0b", 3),   "\xFF\xFE a"};
  const auto model = train_tokenizer(options_of(GetParam()), false, from(lines));
  const test::TempDir folder;
  EXPECT_GT(Tokenizer(folder.write("m", model), false).size(), kSpecialSymbols);
}

INSTANTIATE_TEST_SUITE_P(Types, TrainTokenizer, ::testing::ValuesIn(enum_values<TokenizerType>()),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

// The text has the letters a, b, c and the word mark: with the four special symbols, 8 pieces.
TEST(TrainTokenizerErrors, NameTheSmallestPossibleVocabulary) {
  EXPECT_THAT(
      [] { (void)train_tokenizer(options_of(TokenizerType::bpe, 7), false, from({"abc"})); },
      ::testing::ThrowsMessage<ConfigError>(AllOf(HasSubstr("tokenizer.vocabulary: 7 is too small"),
                                                  HasSubstr("set it to 8 or more"))));
  EXPECT_FALSE(train_tokenizer(options_of(TokenizerType::bpe, 8), false, from({"abc"})).empty());
}

// Regression: the message blamed the text when SentencePiece rejected character_coverage.
TEST(TrainTokenizerErrors, DoNotBlameTheTextForTheOptions) {
  TokenizerOptions options = options_of(TokenizerType::bpe);
  options.character_coverage = 0.9;
  EXPECT_THAT([&] { (void)train_tokenizer(options, false, from(toy_text())); },
              ::testing::ThrowsMessage<DataError>(HasSubstr("character_coverage")));
}

TEST(TrainTokenizerErrors, AreFoundInTheConfigForAnInvalidCoverage) {
  const test::TempDir folder;
  const auto load = [&](const std::string& coverage) {
    return config::load<TokenizerOptions>(
        folder.write("c.yaml", "character_coverage: " + coverage + "\n"));
  };
  EXPECT_THAT([&] { (void)load("0.9799"); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("0.98 to 1")));
  EXPECT_FALSE(train_tokenizer(load("0.98"), false, from(toy_text())).empty());
}

TEST(TrainTokenizerOptions, LowercaseLeavesNoCapitalsInTheVocabulary) {
  const test::TempDir folder;
  const auto model = train_tokenizer(options_of(TokenizerType::character), true, from(toy_text()));
  const Tokenizer tokenizer(folder.write("m", model), false);
  for (TokenId id = kSpecialSymbols; id < tokenizer.size(); ++id) {
    EXPECT_THAT(tokenizer.piece(id), ::testing::Not(::testing::ContainsRegex("[A-Z]")));
  }
}

TEST(TrainTokenizerOptions, TrainingLinesLimitsTheSample) {
  TokenizerOptions options = options_of(TokenizerType::character);
  options.training_lines = 1;
  const test::TempDir folder;
  const auto model = train_tokenizer(options, false, from({"aa", "aa", "aa"}));
  const auto one_of_two = train_tokenizer(options, false, from({"ab", "cd"}));
  EXPECT_EQ(Tokenizer(folder.write("m", model), false).size(), kSpecialSymbols + 2);  // ▁ a
  EXPECT_EQ(Tokenizer(folder.write("m", one_of_two), false).size(),
            kSpecialSymbols + 3);  // ▁ and two letters
}

TEST(TrainTokenizerOptions, PrintsNothingOfSentencePiece) {
  ::testing::internal::CaptureStderr();
  (void)train_tokenizer(options_of(TokenizerType::unigram, 30), false, from(toy_text()));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::Not(HasSubstr("trainer_interface")));
}

}  // namespace
}  // namespace attend::text
