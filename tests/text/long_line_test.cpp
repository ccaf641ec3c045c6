#include "text/long_line.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/utf8.h"
#include "tests/text/toy_model.h"

namespace attend::text {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class LongLine : public ::testing::Test {
 protected:
  test::TempDir folder_;
  Tokenizer tokenizer_{test::toy_model(folder_), false};
};

TEST(PartsOfLine, MakeUpTheLineAndBeginWithBlanksWhereThereAreSome) {
  using testing::ElementsAre;
  EXPECT_THAT(parts_of_line("", 8), ElementsAre(""));
  EXPECT_THAT(parts_of_line("ab cd ef gh", 8), ElementsAre("ab cd ef", " gh"));
  EXPECT_THAT(parts_of_line("ääääää", 8), ElementsAre("ääää", "ää"));
  EXPECT_THAT(parts_of_line("xäääää", 8), ElementsAre("xäää", "ää"));
}

// SentencePiece gets at most 64 KiB at a time.
TEST_F(LongLine, HasThePiecesOfItsWords) {
  const std::string words = "ein Hund läuft durch den Park";
  const std::string line = repeated(words + " ", 5000) + words;
  const auto once = tokenizer_.encode(words);
  const auto pieces = tokenizer_.encode_pieces(line);
  const auto ids = tokenizer_.encode(line);
  ASSERT_EQ(ids.size(), 5001 * once.size());
  ASSERT_EQ(pieces.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ(ids[i], once[i % once.size()]) << i;
    ASSERT_EQ(pieces[i].id, ids[i]) << i;
    ASSERT_EQ(pieces[i].span.begin, i == 0 ? 0 : pieces[i - 1].span.end) << i;
  }
  EXPECT_EQ(pieces.back().span.end, line.size());
}

TEST_F(LongLine, KeepsAShorterLineWhole) {
  const std::string line = repeated("ein Hund ", 5000);
  EXPECT_EQ(enough_of(line, tokenizer_, 1).size(), line.size());
}

TEST_F(LongLine, BeginsWithThePiecesOfTheWholeLine) {
  const std::string line = repeated("ein Hund läuft durch den Park ", 10'000);
  const std::string_view beginning = enough_of(line, tokenizer_, 50);
  EXPECT_LT(beginning.size(), std::size_t{1} << 16);
  auto all = tokenizer_.encode(line);
  auto first = tokenizer_.encode(beginning);
  ASSERT_GT(first.size(), 100U);
  all.resize(50);
  first.resize(50);
  EXPECT_EQ(first, all);
}

// 70,000 blanks give no pieces, and the first word is beyond 64 KiB.
TEST_F(LongLine, ExtendsUntilThereArePieces) {
  const std::string line = std::string(70'000, ' ') + repeated("ein Hund ", 50'000);
  const std::string_view beginning = enough_of(line, tokenizer_, 50);
  EXPECT_GT(beginning.size(), 70'000U);
  EXPECT_LT(beginning.size(), line.size());
  EXPECT_GT(tokenizer_.encode(beginning).size(), 100U);
}

TEST_F(LongLine, EndsBetweenCharacters) {
  const std::string line = "x" + repeated("ä", 100'000);
  const std::string_view beginning = enough_of(line, tokenizer_, 50);
  EXPECT_LT(beginning.size(), line.size());
  EXPECT_TRUE(utf8::is_valid(beginning));
}

TEST_F(LongLine, GivesItsFirstPiecesAndWhetherThereAreMore) {
  const std::string line = repeated("ä", 5);
  const auto all = tokenizer_.encode(line);
  const Beginning whole = encode_beginning(line, tokenizer_, std::ssize(all));
  EXPECT_EQ(whole.ids, all);
  EXPECT_FALSE(whole.cut);
  const Beginning cut = encode_beginning(line, tokenizer_, 2);
  EXPECT_EQ(cut.ids, std::vector<TokenId>(all.begin(), all.begin() + 2));
  EXPECT_TRUE(cut.cut);
}

TEST_F(LongLine, IsCutAtItsEndAlsoForAReversedTokenizer) {
  const Tokenizer reversed(folder_ / "bpe.model", false, PieceOrder::kReversed);
  const std::string line = "ein Hund läuft durch den Park";
  const Beginning cut = encode_beginning(line, reversed, 2);
  auto expected = encode_beginning(line, tokenizer_, 2).ids;
  std::ranges::reverse(expected);
  EXPECT_EQ(cut.ids, expected);
  EXPECT_TRUE(cut.cut);
}

TEST_F(LongLine, IsKeptWholeIfItHasFewPieces) {
  const std::string line(1'000'000, ' ');
  EXPECT_EQ(enough_of(line, tokenizer_, 1).size(), line.size());
}

}  // namespace
}  // namespace attend::text
