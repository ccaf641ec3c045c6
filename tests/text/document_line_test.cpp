#include "text/document_line.h"

#include <gmock/gmock.h>

#include <functional>
#include <random>
#include <sstream>
#include <string>

namespace attend::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const SentenceSplitter& splitter() {
  static const SentenceSplitter kSplitter("en");
  return kSplitter;
}

std::vector<std::string> sentences(const DocumentLine& line) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < line.sentences.size(); ++i) all.emplace_back(line.sentence(i));
  return all;
}

std::vector<std::string> sentences(const std::string& line) {
  return sentences(cut_line(line, splitter()));
}

std::string same(const std::string& line) {
  const DocumentLine cut = cut_line(line, splitter());
  return join_line(cut, sentences(cut));
}

TEST(CutLine, LeavesMarksOfListsHeadingsAndQuotationsOut) {
  for (const std::string mark :
       {"- ",     "* ",   "+ ",   "• ",   "– ",      "1. ",   "12) ",  "(3) ", "2.1. ", "2.1.3) ",
        "a) ",    "(b) ", "iv) ", "# ",   "###### ", "> ",    ">",     "> > ", "> - ",  "- [ ] ",
        "* [x] ", "  - ", "\t",   "    ", "\u3000",  "> 1. ", "- 1) ", "1、",  "1．",   "・"}) {
    EXPECT_THAT(sentences(mark + "One here. Two!"), ElementsAre("One here.", "Two!")) << mark;
  }
}

TEST(CutLine, TakesOtherBeginningsForWords) {
  for (const std::string line :
       {"A. Smith came", "3.5 apples", "-5 degrees", "*star*", "#tag", "a.", "b", "####### x",
        "1234) x", "2024. was good", "e.g. this"}) {
    EXPECT_THAT(sentences(line).size(), 1U) << line;
    EXPECT_EQ(sentences(line).front(), line);
  }
}

TEST(CutLine, ReadsOneMillionNumbersAtTheBeginning) {
  std::string line;
  for (int i = 0; i < 1'000'000; ++i) line += "1.";
  EXPECT_THAT(sentences(line + " One here."), ElementsAre("One here."));
}

TEST(CutLine, FindsNoSentencesWithoutLetters) {
  for (const std::string line :
       {"", " ", "---", "* * *", "1. 2.", "2024-01-05", "\U0001F600", "- ", "> ", "#"})
    EXPECT_THAT(sentences(line), IsEmpty()) << line;
  EXPECT_THAT(sentences("Great! \U0001F600 \U0001F600 So good."),
              ElementsAre("Great!", "\U0001F600 \U0001F600 So good."));
}

TEST(JoinLine, KeepsTheFrame) {
  const DocumentLine line = cut_line("  - One here.  Two!\t", splitter());
  EXPECT_EQ(join_line(line, {"Eins.", "Zwei!"}), "  - Eins.  Zwei!\t");
  EXPECT_EQ(join_line(line, {"", ""}), "  -   \t");
  EXPECT_EQ(join_line(cut_line("> ---", splitter()), {}), "> ---");
}

TEST(JoinLine, AddsBlanksToScriptsThatHaveThem) {
  const DocumentLine line = cut_line("犬が寝る。猫も寝る。\u3000終わり", splitter());
  EXPECT_EQ(join_line(line, {"A dog sleeps.", "So does a cat.", "The end"}),
            "A dog sleeps. So does a cat. The end");
}

TEST(JoinLine, RemovesBlanksFromScriptsWithoutThem) {
  const DocumentLine line = cut_line("A dog sleeps. So does a cat.\tThe end", splitter());
  EXPECT_EQ(join_line(line, {"犬が寝る。", "猫も寝る。", "終わり"}),
            "犬が寝る。猫も寝る。\t終わり");
  EXPECT_EQ(join_line(line, {"개가 잔다.", "고양이도.", "끝"}), "개가 잔다. 고양이도.\t끝");
}

TEST(JoinLine, KeepsBlanksIfBothScriptsAreOfOneKind) {
  EXPECT_EQ(same("犬が寝る。 猫も寝る。終わり"), "犬が寝る。 猫も寝る。終わり");
  EXPECT_EQ(same("One.  Two."), "One.  Two.");
}

/// Twenty texts of mixed structure.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = {
      "A title\n\nA first paragraph. It has two sentences.\n\n\nA second one!\n",
      "# Heading\n\nText below it. More text.\n\n## Second heading\nText\n",
      "Shopping:\n- apples\n- pears, e.g. Williams\n- bread. Fresh!\n",
      "1. First. Do it.\n2. Second\n   a) nested\n   b) nested too. Yes.\n10. Tenth\n",
      "* one\n  * two\n    * three\n\t* four\n",
      "> He said so.\n> > She did not. Really?\n>\n> - a list\n",
      "no end of line",
      "\n\n\n",
      "",
      "   indented by three\n\tby a tab\n \t by both\n",
      "trailing blanks  \nand a tab\t\nand U+00A0\u00A0\n",
      "Windows lines\r\nstay.\r\n\r\nYes.\r\n",
      "---\nname: value\n---\n\n***\n\n___\n",
      "- [ ] open. Not done.\n- [x] done\n",
      "| a | b |\n|---|---|\n| One. Two. | 3 |\n",
      "Call me at 5 p.m. tomorrow.  Or at 6.   Or not at all!   \n",
      "「何？」「雨だ。」彼女は来た。 傘は？\n・一つ\n1、二つ\n",
      "Смешанный текст. Mixed text! 混ざった文。 Fin \U0001F600\n\U0001F600\n",
      "(i) one\n(ii) two; three. Four.\niii) five\n",
      "\uFEFFa mark, \u200Bzero width, \x01 control.\vVertical\fform\u2028separator. "
      "End\u0085next\n"};
  return kTexts;
}

std::string translated(const std::string& document,
                       const std::function<std::string(std::string)>& translate) {
  std::string result;
  std::istringstream stream(document);
  for (std::string line; std::getline(stream, line);) {
    const DocumentLine cut = cut_line(line, splitter());
    std::vector<std::string> translations;
    for (const std::string& sentence : sentences(cut)) translations.push_back(translate(sentence));
    result += join_line(cut, translations) + (stream.eof() ? "" : "\n");
  }
  return result;
}

TEST(DocumentLine, TwentyTextsStayAsTheyAre) {
  ASSERT_EQ(texts().size(), 20U);
  for (const std::string& text : texts())
    EXPECT_EQ(translated(text, [](auto sentence) { return sentence; }), text);
}

TEST(DocumentLine, OnlySentencesChange) {
  const std::string document =
      "# A title here\n\n  1. One two. Three four!  \n\n> - a b\t\n---\n\n\tlast one";
  EXPECT_EQ(translated(document, [](auto /*sentence*/) { return "W"; }),
            "# W\n\n  1. W W  \n\n> - W\t\n---\n\n\tW");
}

TEST(DocumentLine, RandomLinesStayAsTheyAre) {
  static const std::vector<std::string> kParts = {
      "- ", "1. ",   "a) ",    "> ", "# ", "  ",   "\t",         "One. ", "two! ", "Three",
      "。", "犬",    "\u3000", "「", "」", "\"",   ". ",         "? ",    "…",     "e.g. ",
      "3",  "1999 ", "\u00A0", "é",  "\r", "[x] ", "\U0001F600", "说",    ")"};
  std::mt19937 random(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (auto parts = random() % 24; parts > 0; --parts) line += kParts[random() % kParts.size()];
    ASSERT_EQ(same(line), line);
  }
}

}  // namespace
}  // namespace attend::text
