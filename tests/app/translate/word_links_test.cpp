#include "app/translate/word_links.h"

#include <gmock/gmock.h>

#include "tests/support/tensors.h"
#include "text/vocabulary.h"

namespace attend::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A line whose pieces cover these bytes.
TokenizedLine line_of(const std::string& text, const std::vector<utf8::Span>& spans) {
  TokenizedLine line{.text = text, .ids = {}, .pieces = {}, .spans = spans};
  for (const utf8::Span& span : spans) {
    line.ids.push_back(text::kUnk);
    line.pieces.push_back(text.substr(span.begin, span.end - span.begin));
  }
  return line;
}

std::vector<std::string> words_of(const TokenizedLine& line) {
  std::vector<std::string> words;
  for (const utf8::Span& word : linkable_words(line))
    words.push_back(line.text.substr(word.begin, word.end - word.begin));
  return words;
}

TEST(LinkableWords, CutsAtPunctuationAndBlanks) {
  EXPECT_THAT(words_of(line_of("Der Hund, 2x. ", {{0, 3}, {3, 8}, {8, 9}, {9, 12}, {12, 13}})),
              ElementsAre("Der", "Hund", ",", "2x", "."));
  EXPECT_THAT(words_of(line_of("", {})), IsEmpty());
}

TEST(LinkableWords, JoinsWordsOfOnePiece) {
  EXPECT_THAT(words_of(line_of("a dog's x", {{0, 1}, {1, 5}, {5, 7}, {7, 9}})),
              ElementsAre("a", "dog", "'s", "x"));
  EXPECT_THAT(words_of(line_of("北京是", {{0, 6}, {6, 9}})), ElementsAre("北京", "是"));
}

TEST(LinkedWords, LinksWordsByTheSumOfTheirPieces) {
  const TokenizedLine source = line_of("ab c", {{0, 1}, {1, 2}, {2, 4}});
  Translation translation;
  translation.line = line_of("x y z", {{0, 1}, {1, 3}, {3, 5}});
  // Columns: a, b, c, the end. "x" looks at a and b together most, "y" at c, "z" at the end.
  translation.attention = test::f64({0.3, 0.3, 0.4, 0.0,  //
                                     0.2, 0.2, 0.5, 0.1,  //
                                     0.1, 0.1, 0.1, 0.7,  //
                                     0.0, 0.0, 0.0, 1.0},
                                    {4, 4});
  const auto words = linked_words(source, translation, {});
  ASSERT_EQ(words.size(), 3);
  EXPECT_EQ(words[0].target, (utf8::Span{0, 1}));
  EXPECT_EQ(words[0].source, (utf8::Span{0, 2}));
  EXPECT_EQ(words[1].source, (utf8::Span{3, 4}));
  EXPECT_EQ(words[2].source, std::nullopt);
  // With a shift of 1, each word has the row of the next step.
  EXPECT_EQ(linked_words(source, translation, {.shift = 1})[0].source, (utf8::Span{3, 4}));
}

TEST(LinkedWords, HasNoLinksWithoutAttention) {
  Translation translation;
  translation.line = line_of("x", {{0, 1}});
  const auto words = linked_words(line_of("a", {{0, 1}}), translation, {});
  ASSERT_EQ(words.size(), 1);
  EXPECT_EQ(words[0].source, std::nullopt);
}

}  // namespace
}  // namespace attend::app
