#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "tests/support/temp_dir.h"
#include "tests/text/toy_model.h"

namespace attend::text {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

std::vector<std::string> texts(const std::vector<Piece>& pieces) {
  std::vector<std::string> result;
  for (const Piece& piece : pieces) result.push_back(piece.text);
  return result;
}

std::string part(const std::string& line, const utf8::Span& span) {
  return line.substr(span.begin, span.end - span.begin);
}

std::vector<std::string> parts(const std::string& line, const std::vector<Piece>& pieces) {
  std::vector<std::string> result;
  for (const Piece& piece : pieces) result.push_back(part(line, piece.span));
  return result;
}

/// Every type of model, trained on the toy text.
class AnyTokenizer : public ::testing::TestWithParam<TokenizerType> {
 protected:
  test::TempDir folder_;
  Tokenizer tokenizer_{test::toy_model(folder_, GetParam()), false};
};

TEST_P(AnyTokenizer, DecodesWhatItEncoded) {
  for (const std::string& line : test::toy_text()) {
    EXPECT_EQ(tokenizer_.decode(tokenizer_.encode(line)), line);
  }
}

TEST_P(AnyTokenizer, ReversesIdsPiecesAndSpansForARightToLeftModel) {
  const Tokenizer reversed(test::toy_model(folder_, GetParam()), false, PieceOrder::kReversed);
  for (const std::string& line : test::toy_text()) {
    auto ids = tokenizer_.encode(line);
    auto pieces = texts(tokenizer_.encode_pieces(line));
    auto spans = parts(line, tokenizer_.encode_pieces(line));
    std::ranges::reverse(ids);
    std::ranges::reverse(pieces);
    std::ranges::reverse(spans);
    EXPECT_EQ(reversed.encode(line), ids);
    EXPECT_EQ(texts(reversed.encode_pieces(line)), pieces);
    EXPECT_EQ(parts(line, reversed.encode_pieces(line)), spans);
    EXPECT_EQ(reversed.decode(ids), line);
    const Detokenized read = reversed.decode_with_spans(ids);
    EXPECT_EQ(read.text, line);
    ASSERT_EQ(read.spans.size(), ids.size());
    EXPECT_EQ(read.spans.front().end, line.size());
    EXPECT_EQ(read.spans.back().begin, 0U);
  }
}

TEST_P(AnyTokenizer, GivesNoIdsForAnEmptyOrBlankLine) {
  EXPECT_THAT(tokenizer_.encode(""), IsEmpty());
  EXPECT_THAT(tokenizer_.encode("  \t "), IsEmpty());
  EXPECT_THAT(tokenizer_.encode_pieces(""), IsEmpty());
  EXPECT_EQ(tokenizer_.decode({}), "");
}

TEST_P(AnyTokenizer, TreatsItsOwnMarksInTheTextAsOrdinaryCharacters) {
  for (const std::string line :
       {"<s>", "</s>", "<pad>", "<unk>", "der <s> Hund </s>", "▁", "<s></s><s>"}) {
    EXPECT_THAT(tokenizer_.encode(line), Each(AllOf(Not(kPad), Not(kBos), Not(kEos)))) << line;
  }
}

TEST_P(AnyTokenizer, SurvivesControlCharactersAndInvalidBytes) {
  const std::string nul("der\0Hund\0", 9);
  for (const std::string& line :
       {nul, std::string("\x01\x02 Hund\x7F"), std::string("\xFF\xC3 Hund")}) {
    const auto ids = tokenizer_.encode(line);
    EXPECT_THAT(ids, Each(AllOf(Ge(0), ::testing::Lt(tokenizer_.size()))));
    EXPECT_FALSE(ids.empty());
  }
}

TEST_P(AnyTokenizer, GivesTheSameIdsWithAndWithoutSpans) {
  for (std::string line : test::toy_text()) {
    line += " ☃ Qx";
    std::vector<TokenId> ids;
    for (const Piece& piece : tokenizer_.encode_pieces(line)) ids.push_back(piece.id);
    EXPECT_EQ(ids, tokenizer_.encode(line));
  }
}

TEST_P(AnyTokenizer, NoPieceCoversAWordThatNormalisesAway) {
  for (const std::string word :
       {"\u200B", "\uFEFF", "\u2028", "\u200E", "\u3000", "\u00A0", "\u200B \u200B"}) {
    for (const std::string& line : {"der " + word + " Hund", word + " Hund", "der " + word}) {
      const auto pieces = tokenizer_.encode_pieces(line);
      EXPECT_THAT(pieces, Not(IsEmpty()));
      EXPECT_THAT(parts(line, pieces), Each(Not(HasSubstr(word)))) << line;
    }
  }
}

// The spans are contiguous and cover the whole line.
TEST_P(AnyTokenizer, GivesSpansThatCoverTheLine) {
  for (const std::string& line : test::toy_text()) {
    std::size_t position = 0;
    for (const Piece& piece : tokenizer_.encode_pieces(line)) {
      EXPECT_EQ(piece.span.begin, position);
      position = piece.span.end;
    }
    EXPECT_EQ(position, line.size());
  }
}

TEST_P(AnyTokenizer, GivesSpansThatCoverTheDecodedText) {
  const auto ids = tokenizer_.encode(test::toy_text()[0]);
  const Detokenized decoded = tokenizer_.decode_with_spans(ids);
  ASSERT_EQ(decoded.spans.size(), ids.size());
  EXPECT_EQ(decoded.text, test::toy_text()[0]);
  std::string joined;
  for (const auto& span : decoded.spans) joined += part(decoded.text, span);
  EXPECT_EQ(joined, decoded.text);
}

INSTANTIATE_TEST_SUITE_P(Types, AnyTokenizer, ::testing::ValuesIn(enum_values<TokenizerType>()),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

class CharTokenizer : public ::testing::Test {
 protected:
  test::TempDir folder_;
  Tokenizer tokenizer_{test::toy_model(folder_, TokenizerType::character), false};
};

TEST_F(CharTokenizer, GivesSpansInBytesOfTheOriginalLine) {
  const std::string line = "lä  u";
  const auto pieces = tokenizer_.encode_pieces(line);
  EXPECT_EQ(texts(pieces), (std::vector<std::string>{"▁", "l", "ä", "▁", "u"}));
  EXPECT_EQ(parts(line, pieces), (std::vector<std::string>{"", "l", "ä", "  ", "u"}));
}

// Full-width letters have 3 bytes each; normalisation converts them to ASCII.
TEST_F(CharTokenizer, GivesSpansInTheOriginalLineAfterNormalisation) {
  const std::string line = "\uFF48u\uFF4E";
  const auto pieces = tokenizer_.encode_pieces(line);
  EXPECT_EQ(texts(pieces), (std::vector<std::string>{"▁", "h", "u", "n"}));
  EXPECT_EQ(parts(line, pieces), (std::vector<std::string>{"", "\uFF48", "u", "\uFF4E"}));
}

// The Kelvin sign has 3 bytes and its lower-case letter 1.
TEST_F(CharTokenizer, GivesSpansInTheOriginalLineAfterLowerCasing) {
  const Tokenizer lower(test::toy_model(folder_, TokenizerType::character), true);
  const std::string line = "\u212AU\u212AÄ";
  const auto pieces = lower.encode_pieces(line);
  EXPECT_EQ(texts(pieces), (std::vector<std::string>{"▁", "k", "u", "k", "ä"}));
  EXPECT_EQ(parts(line, pieces), (std::vector<std::string>{"", "\u212A", "U", "\u212A", "Ä"}));
}

TEST_F(CharTokenizer, LowerCasesOnRequest) {
  const Tokenizer lower(test::toy_model(folder_, TokenizerType::character), true);
  EXPECT_EQ(lower.decode(lower.encode("HUNDE ÄHN")), "hunde ähn");
  EXPECT_EQ(tokenizer_.decode(tokenizer_.encode("Hunde")), "Hunde");
}

TEST_F(CharTokenizer, DecodesAnUnknownPieceToItsMark) {
  EXPECT_EQ(tokenizer_.decode(tokenizer_.encode("Hu☃d")), "Hu\u2047d");
}

TEST_F(CharTokenizer, DecodesAnUnknownPieceToItsOwnTextIfKnown) {
  const std::string line = "Hund ☃ ☂☂ Hund";
  std::vector<TokenId> ids;
  std::vector<std::string> unknown;
  for (const Piece& piece : tokenizer_.encode_pieces(line)) {
    ids.push_back(piece.id);
    if (piece.id == kUnk) unknown.push_back(piece.text);
  }
  ASSERT_EQ(unknown.size(), 2U);
  EXPECT_EQ(tokenizer_.decode_with_spans(ids, unknown).text, line);
  unknown.pop_back();
  const Detokenized decoded = tokenizer_.decode_with_spans(ids, unknown);
  EXPECT_EQ(decoded.text, "Hund ☃ \u2047 Hund");
  EXPECT_EQ(decoded.spans.back().end, decoded.text.size());
}

TEST_F(CharTokenizer, DecodesSpecialSymbolsToNothing) {
  auto ids = tokenizer_.encode("Hu");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.begin() + 2, kPad);
  ids.push_back(kEos);
  const Detokenized decoded = tokenizer_.decode_with_spans(ids);
  EXPECT_EQ(decoded.text, "Hu");
  ASSERT_EQ(decoded.spans.size(), 6U);  // <s> ▁ <pad> H u </s>
  EXPECT_EQ(decoded.spans[0], (utf8::Span{0, 0}));
  EXPECT_EQ(decoded.spans[2], (utf8::Span{0, 0}));
  EXPECT_EQ(decoded.spans[3], (utf8::Span{0, 1}));
  EXPECT_EQ(decoded.spans[4], (utf8::Span{1, 2}));
  EXPECT_EQ(decoded.spans[5], (utf8::Span{2, 2}));
}

TEST_F(CharTokenizer, CannotSample) {
  const std::vector<std::string> lines = {"Hund"};
  EXPECT_THAT([&] { (void)tokenizer_.encode_sampled(lines, 0.1, 1); },
              ThrowsMessage<ConfigError>(HasSubstr("tokenizer.sampling")));
}

class SamplingTokenizer : public AnyTokenizer {
 protected:
  [[nodiscard]] auto sample(uint64_t seed, double alpha = 0.5) const {
    return tokenizer_.encode_sampled(test::toy_text(), alpha, seed);
  }
};

TEST_P(SamplingTokenizer, SegmentsTheSameTextDifferently) {
  const auto sampled = sample(1);
  int different = 0;
  ASSERT_EQ(sampled.size(), test::toy_text().size());
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    EXPECT_EQ(tokenizer_.decode(sampled[i]), test::toy_text()[i]);
    different += sampled[i] != tokenizer_.encode(test::toy_text()[i]);
  }
  EXPECT_GT(different, 0);
}

TEST_P(SamplingTokenizer, GivesTheSameSegmentationAsPiecesWithSpans) {
  const auto ids = sample(1);
  const auto pieces = tokenizer_.encode_pieces_sampled(test::toy_text(), 0.5, 1);
  ASSERT_EQ(pieces.size(), ids.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string covered;
    ASSERT_EQ(pieces[i].size(), ids[i].size());
    for (std::size_t k = 0; k < ids[i].size(); ++k) {
      EXPECT_EQ(pieces[i][k].id, ids[i][k]);
      EXPECT_EQ(pieces[i][k].text, tokenizer_.piece(ids[i][k]));
      const utf8::Span span = pieces[i][k].span;
      covered += test::toy_text()[i].substr(span.begin, span.end - span.begin);
    }
    EXPECT_EQ(covered, test::toy_text()[i]);
  }
}

TEST_P(SamplingTokenizer, DependsOnlyOnTheSeed) {
  const auto first = sample(1);
  const auto other = sample(2);
  EXPECT_NE(first, other);
  EXPECT_EQ(sample(1), first);
  EXPECT_EQ(sample(2), other);
}

TEST_P(SamplingTokenizer, GivesTheSameOnAnyThread) {
  const auto here = sample(7);
  auto there = here;
  there.clear();
  std::thread([&] { there = sample(7); }).join();
  EXPECT_EQ(there, here);
}

// SentencePiece takes 2^32 - 1 to mean "seed from the clock" and would keep its old seed.
TEST_P(SamplingTokenizer, RepeatsForEverySeed) {
  (void)sample(3);
  const auto first = sample(0xFFFFFFFFU);
  (void)sample(4);
  EXPECT_EQ(sample(0xFFFFFFFFU), first);
}

INSTANTIATE_TEST_SUITE_P(Types, SamplingTokenizer,
                         ::testing::Values(TokenizerType::bpe, TokenizerType::unigram),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

}  // namespace
}  // namespace attend::text
