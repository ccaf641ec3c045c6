#include "align/word_merge.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace attend::align {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using utf8::Span;

WordGroups groups(std::string_view line, const std::vector<Span>& spans, bool end = false) {
  return group_by_words(line, spans, end, "</s>");
}

// "▁ein", "▁Ig", "lu": in SentencePiece, a word's first piece includes the space before it.
TEST(GroupByWords, GivesEveryPieceToItsWord) {
  const WordGroups result = groups("ein Iglu", {{0, 3}, {3, 6}, {6, 8}});
  EXPECT_THAT(result.names, ElementsAre("ein", "Iglu"));
  EXPECT_THAT(result.group_of, ElementsAre(0, 1, 1));
}

TEST(GroupByWords, KeepsTheEndSymbolApart) {
  const WordGroups result = groups("ein Iglu", {{0, 3}, {3, 8}}, true);
  EXPECT_THAT(result.names, ElementsAre("ein", "Iglu", "</s>"));
  EXPECT_THAT(result.group_of, ElementsAre(0, 1, 2));
  EXPECT_TRUE(result.end);
}

TEST(GroupByWords, GivesAPieceAcrossWordsToTheOneThatSharesMost) {
  EXPECT_THAT(groups("ab cdef", {{1, 5}}).group_of, ElementsAre(1));  // 1 byte of "ab", 2 of "cdef"
  EXPECT_THAT(groups("abcd ef", {{1, 6}}).group_of, ElementsAre(0));  // 3 of "abcd", 1 of "ef"
  EXPECT_THAT(groups("ab cd", {{0, 5}}).group_of, ElementsAre(0));    // a tie: the first word
}

// A lone "▁" covers a space or nothing; it belongs to the next word.
TEST(GroupByWords, GivesAPieceWithoutLettersToTheNextWord) {
  EXPECT_THAT(groups("a bc", {{0, 0}, {0, 1}, {1, 2}, {2, 4}}).group_of, ElementsAre(0, 0, 1, 1));
}

TEST(GroupByWords, GivesAPieceBehindTheLastWordToThatWord) {
  EXPECT_THAT(groups("a bc ", {{0, 1}, {1, 4}, {4, 5}, {5, 5}}).group_of, ElementsAre(0, 1, 1, 1));
}

TEST(GroupByWords, KeepsThePlaceOfAWordWithoutPieces) {
  const WordGroups result = groups("a b c", {{0, 1}, {4, 5}});
  EXPECT_THAT(result.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(result.group_of, ElementsAre(0, 2));
}

TEST(GroupByWords, SplitsAtAsciiSpacesOnly) {
  EXPECT_THAT(groups("a\u00a0b  c", {}).names, ElementsAre("a\u00a0b", "c"));
}

TEST(GroupByWords, OfAnEmptyLineHasTheEndSymbolOnly) {
  const WordGroups result = groups("", {}, true);
  EXPECT_THAT(result.names, ElementsAre("</s>"));
  EXPECT_THAT(result.group_of, ElementsAre(0));
}

TEST(GroupByWords, GivesPiecesOfALineWithoutWordsToTheEndSymbol) {
  const WordGroups result = groups("  ", {{0, 1}, {1, 2}}, true);
  EXPECT_THAT(result.names, ElementsAre("</s>"));
  EXPECT_THAT(result.group_of, ElementsAre(0, 0, 0));
}

TEST(GroupByWords, RejectsPiecesWithoutAWord) {
  EXPECT_THROW((void)groups("", {{0, 0}}), std::logic_error);
}

AttentionMatrix pieces() {
  return {.target = {"p", "q", "r"},
          .source = {"a", "b", "c", "</s>"},
          .target_end = false,
          .weights = WeightTable(3, 4,
                                 {0.1F, 0.2F, 0.3F, 0.4F,    //
                                  0.5F, 0.25F, 0.25F, 0.0F,  //
                                  0.0F, 0.0F, 0.0F, 1.0F}),
          .heads = {}};
}

// Source words {a, b}, {c}; target words {p}, {q, r}.
TEST(MergeToWords, SumsOverSourcePiecesAndAveragesOverTargetPieces) {
  const WordGroups source{.names = {"ab", "c", "</s>"}, .group_of = {0, 0, 1, 2}, .end = true};
  const WordGroups target{.names = {"p", "qr"}, .group_of = {0, 1, 1}, .end = false};
  const AttentionMatrix words = merge_to_words(pieces(), target, source);
  EXPECT_THAT(words.source, ElementsAre("ab", "c", "</s>"));
  EXPECT_THAT(words.target, ElementsAre("p", "qr"));
  EXPECT_FALSE(words.target_end);
  EXPECT_THAT(words.weights(0, 0), FloatEq(0.3F));
  EXPECT_THAT(words.weights(0, 1), FloatEq(0.3F));
  EXPECT_THAT(words.weights(0, 2), FloatEq(0.4F));
  EXPECT_THAT(words.weights(1, 0), FloatEq(0.375F));  // ((0.5 + 0.25) + 0) / 2
  EXPECT_THAT(words.weights(1, 1), FloatEq(0.125F));  // (0.25 + 0) / 2
  EXPECT_THAT(words.weights(1, 2), FloatEq(0.5F));    // (0 + 1) / 2
}

TEST(MergeToWords, LeavesAWordWithoutPiecesAtZero) {
  const WordGroups source{.names = {"abc", "lost", "</s>"}, .group_of = {0, 0, 0, 2}, .end = true};
  const WordGroups target{.names = {"lost", "pqr"}, .group_of = {1, 1, 1}, .end = false};
  const AttentionMatrix words = merge_to_words(pieces(), target, source);
  EXPECT_EQ(words.weights(0, 0), 0.0F);
  EXPECT_EQ(words.weights(1, 1), 0.0F);
  EXPECT_THAT(words.weights(1, 0) + words.weights(1, 2), FloatEq(1.0F));
}

TEST(MergeToWords, MergesEveryHead) {
  AttentionMatrix matrix = pieces();
  matrix.heads = {matrix.weights, WeightTable(3, 4)};
  const WordGroups source{.names = {"abc", "</s>"}, .group_of = {0, 0, 0, 1}, .end = true};
  const WordGroups target{.names = {"pqr"}, .group_of = {0, 0, 0}, .end = false};
  const AttentionMatrix words = merge_to_words(matrix, target, source);
  ASSERT_EQ(words.heads.size(), 2U);
  EXPECT_EQ(words.heads[0], words.weights);
  EXPECT_EQ(words.heads[1], WeightTable(1, 2));
}

TEST(MergeToWords, KeepsAMatrixWithoutWeights) {
  AttentionMatrix matrix = pieces();
  matrix.weights = {};
  const WordGroups source{.names = {"abc", "</s>"}, .group_of = {0, 0, 0, 1}, .end = true};
  const WordGroups target{.names = {"pqr"}, .group_of = {0, 0, 0}, .end = false};
  EXPECT_FALSE(merge_to_words(matrix, target, source).has_weights());
}

TEST(MergeToWords, RejectsGroupsOfAnotherSentence) {
  const WordGroups two{.names = {"x"}, .group_of = {0, 0}, .end = false};
  EXPECT_THROW((void)merge_to_words(pieces(), two, two), std::logic_error);
}

}  // namespace
}  // namespace attend::align
