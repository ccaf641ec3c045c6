#include "text/tokenizer_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
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

class ByteFallback : public ::testing::TestWithParam<TokenizerType> {
 protected:
  ByteFallback() {
    TokenizerOptions options = options_of(GetParam(), 340);
    options.byte_fallback = true;
    const auto model = train_tokenizer(options, false, from(toy_text()));
    tokenizer = std::make_unique<Tokenizer>(folder.write("m", model), false);
  }

  const test::TempDir folder;
  std::unique_ptr<Tokenizer> tokenizer;
};

// The UTF-8 of the dog (U+1F415) is F0 9F 90 95.
TEST_P(ByteFallback, CutsNewCharactersIntoBytes) {
  const std::string line = "der 🐕 Hund";
  std::vector<std::string> bytes;
  for (const Piece& piece : tokenizer->encode_pieces(line)) {
    EXPECT_NE(piece.id, kUnk) << piece.text;
    if (!piece.text.starts_with("<0x")) continue;
    bytes.push_back(piece.text);
    EXPECT_GE(piece.span.begin, 4U);
    EXPECT_LE(piece.span.end, 8U);
  }
  EXPECT_THAT(bytes, ::testing::ElementsAre("<0xF0>", "<0x9F>", "<0x90>", "<0x95>"));
  const std::vector<TokenId> ids = tokenizer->encode(line);
  EXPECT_EQ(tokenizer->decode(ids), line);
  const Detokenized whole = tokenizer->decode_with_spans(ids);
  EXPECT_EQ(whole.text, line);
  std::string joined;
  for (const utf8::Span& span : whole.spans)
    joined += whole.text.substr(span.begin, span.end - span.begin);
  EXPECT_EQ(joined, line) << "the spans cover the text";
}

// A model may write any bytes.
TEST_P(ByteFallback, GivesOneLineOfValidText) {
  std::vector<TokenId> ids;
  for (const char* piece : {"<0xF0>", "<0x0A>", "<0x9F>", "<0x0D>", "<0x00>", "<0x95>"})
    ids.push_back(tokenizer->find(piece).value());
  const std::string text = tokenizer->decode(ids);
  EXPECT_TRUE(utf8::is_valid(text)) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Types, ByteFallback,
                         ::testing::Values(TokenizerType::bpe, TokenizerType::unigram),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

TEST(TrainTokenizerOptions, ByteFallbackIsOfPieces) {
  const test::TempDir folder;
  EXPECT_THAT(
      [&] {
        (void)config::load<TokenizerOptions>(
            folder.write("c.yaml", "{type: word, byte_fallback: true}"));
      },
      ::testing::ThrowsMessage<ConfigError>(HasSubstr("byte_fallback is a setting of type bpe")));
}

TEST(TrainTokenizerErrors, CountTheBytesOfByteFallback) {
  TokenizerOptions options = options_of(TokenizerType::bpe, 200);
  options.byte_fallback = true;
  EXPECT_THAT([&] { (void)train_tokenizer(options, false, from({"abc"})); },
              ::testing::ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("and every byte"), HasSubstr("set it to 264 or more"))));
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

// Symptom: ZWNJ vanished from Persian text without a word.
TEST(TrainTokenizerOptions, WarnsThatItsRulesLoseZeroWidthNonJoiners) {
  const test::TempDir folder;
  const std::string line = "می\u200Cخواهم";
  const auto trained = [&](Normalization rule, std::vector<std::string> lines) {
    TokenizerOptions options = options_of(TokenizerType::character);
    options.normalization = rule;
    ::testing::internal::CaptureStderr();
    const auto model = train_tokenizer(options, false, from(std::move(lines)));
    const Tokenizer tokenizer(folder.write("m", model), false);
    return std::pair{::testing::internal::GetCapturedStderr(),
                     tokenizer.decode(tokenizer.encode(line))};
  };
  const auto [warning, lost] = trained(Normalization::nmt_nfkc, {line, line + " x", "y"});
  EXPECT_THAT(warning, AllOf(HasSubstr("66.7 % of the lines have a zero-width non-joiner (U+200C)"),
                             HasSubstr("tokenizer.normalization: nmt_nfkc turns into a blank"),
                             HasSubstr("set it to nfkc")));
  EXPECT_EQ(lost, "می خواهم");
  const auto [nothing, kept] = trained(Normalization::nfkc, {line, line + " x", "y"});
  EXPECT_THAT(nothing, ::testing::Not(HasSubstr("U+200C")));
  EXPECT_EQ(kept, line);
  std::vector<std::string> many(2000, "می x");
  many.front() = line;
  EXPECT_THAT(trained(Normalization::nmt_nfkc, many).first, ::testing::Not(HasSubstr("U+200C")))
      << "a stray one";
}

TEST(TrainTokenizerOptions, PrintsNothingOfSentencePiece) {
  ::testing::internal::CaptureStderr();
  (void)train_tokenizer(options_of(TokenizerType::unigram, 30), false, from(toy_text()));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::Not(HasSubstr("trainer_interface")));
}

}  // namespace
}  // namespace attend::text
