#include "text/markup/render.h"

#include <gmock/gmock.h>

#include "tests/text/markup/fake_translation.h"

namespace attend::text::markup_test {
namespace {

std::string xml(const std::string& line, const std::string& order) {
  return reorder(line, Markup::xml, order);
}
std::string html(const std::string& line, const std::string& order) {
  return reorder(line, Markup::html, order);
}
std::string markdown(const std::string& line, const std::string& order) {
  return reorder(line, Markup::markdown, order);
}

TEST(RenderPart, MovesElementsWithTheWordsInside) {
  EXPECT_EQ(xml("the <b>red</b> dog", "1 3 2"), "the dog <b>red</b>");
  EXPECT_EQ(xml("the <b>red dog</b> sleeps", "4 2 3 1"), "sleeps <b>red dog</b> the");
  EXPECT_EQ(xml("<a x='1>2'>one</a> <i>two</i>", "2 1"), "<i>two</i> <a x='1>2'>one</a>");
}

TEST(RenderPart, KeepsElementsNested) {
  EXPECT_EQ(xml("a <b>b <i>c</i></b> d", "4 3 2 1"), "d <b><i>c</i> b</b> a");
  EXPECT_EQ(xml("<b>a <i>b</i></b> c", "2 3 1"), "<b><i>b</i></b> c a");
  EXPECT_EQ(xml("<b><i>a b</i></b> c", "3 1 2"), "c <b><i>a b</i></b>");
}

TEST(RenderPart, TakesTheLongestStretchOfWordsOfAnElement) {
  EXPECT_EQ(xml("<b>a b c</b> d e", "4 1 5 2 3"), "d a e <b>b c</b>");
  EXPECT_EQ(xml("<b>a b</b> d", "1 0 2 3"), "<b>a neu b</b> d");
}

TEST(RenderPart, KeepsTagsAroundAllText) {
  EXPECT_EQ(xml("<p>a b</p>", "0 2 1 0"), "<p>neu b a neu</p>");
  EXPECT_EQ(xml(" <p> <b>a b</b> </p>\t", "2"), " <p> <b>b</b> </p>\t");
}

TEST(RenderPart, PutsAnElementWithoutWordsAroundTheNextWord) {
  EXPECT_EQ(xml("see <a>the</a> dog", "1 3"), "see <a>dog</a>");
  EXPECT_EQ(xml("<a>x</a> <b>y</b>", "2"), "<a></a><b>y</b>");
}

TEST(RenderPart, MovesSingleTagsWithTheWordBesideThem) {
  EXPECT_EQ(xml("a <x/>b c", "3 2 1"), "c <x/>b a");
  EXPECT_EQ(xml("a<x/> b c", "3 2 1"), "c b a<x/>");
  EXPECT_EQ(xml("a <x/> b", "2 1"), "<x/> b a");
  EXPECT_EQ(xml("<x/>a b<y/>", "2 1"), "<x/>b a<y/>");
}

TEST(RenderPart, KeepsSingleTagsInTheirElement) {
  EXPECT_EQ(xml("<b>a <x/>b</b> c", "3 1 2"), "c <b>a <x/>b</b>");
  EXPECT_EQ(xml("<b>a<x/></b> c <y/>d", "3 2 1"), "<y/>d c <b>a<x/></b>");
}

TEST(RenderPart, DividesTextByTagsWithoutPartner) {
  EXPECT_EQ(xml("a b <u>c d", "2 3 1 4"), "b <u>c a d");
  EXPECT_EQ(xml("a b <u>c d", "2 1 0 0 3 4"), "b a neu neu <u>c d");
  EXPECT_EQ(xml("a b</u> c d", "2 1 0 0 3 4"), "b a</u> neu neu c d");
  EXPECT_EQ(xml("x <u><i>a b</i>", "1 2 3 0"), "x <u><i>a b neu</i>");
  EXPECT_EQ(xml("a</i> b</u> c", "1 2 0 3"), "a</i> b</u> neu c");
  EXPECT_EQ(xml("a <x/>b e <u><i>c</i> d", "3 2 1 5 4"), "e <x/>b a <u>d <i>c</i>");
}

TEST(RenderPart, KeepsBlanksAroundTags) {
  EXPECT_EQ(xml("a<b> b </b>c", "1 2 3"), "a<b> b </b>c");
  EXPECT_EQ(xml("a\t<b>b</b>  c", "1 2 3"), "a\t<b>b</b>  c");
  EXPECT_EQ(xml("a <b> b </b> c", "1 2 3"), "a <b> b </b> c");
  EXPECT_EQ(xml("<b>  a</b> b", "2 1"), "b <b>  a</b>");
  EXPECT_EQ(xml("<b>a</b>, b", "1 2 3"), "<b>a</b> , b");
}

TEST(RenderPart, KeepsTagsInsideCopiedWords) {
  EXPECT_EQ(xml("a H<sub>2</sub>O", "2 1"), "H<sub>2</sub>O a");
  EXPECT_EQ(translate_line(
                "x un<b>do</b>ne", Markup::xml,
                [](std::string_view) {
                  return FakeTranslation{"gelöst y", {{{0, 7}, utf8::Span{2, 8}}, {{8, 9}, {}}}};
                }),
            "<b>gelöst</b> y");
}

TEST(RenderPart, TakesWordsInOrderWithoutLinks) {
  const auto unlinked = [](std::string_view) {
    return FakeTranslation{"A B C D", {{{0, 1}, {}}, {{2, 3}, {}}, {{4, 5}, {}}, {{6, 7}, {}}}};
  };
  EXPECT_EQ(translate_line("aa bb <b>cc dd</b>", Markup::xml, unlinked), "A B <b>C D</b>");
  EXPECT_EQ(translate_line("aa <b>bb</b> cc dd", Markup::xml, unlinked), "A <b>B</b> C D");
}

TEST(RenderPart, EscapesTheText) {
  EXPECT_EQ(xml("a &lt; <b>b &amp; c</b>", "2 1 3 4 5"), "&lt; a <b>b &amp; c</b>");
  EXPECT_EQ(xml("AT&amp;T &#8211; x", "1 2 3 4 5"), "AT &amp; T – x");
  EXPECT_EQ(xml("a < b > c", "1 2 3 4 5"), "a &lt; b &gt; c");
  EXPECT_EQ(html("caf&eacute; &nbsp;b", "2 1"), "b café");
}

TEST(RenderPart, ReplacesWhatXmlDoesNotAllow) {
  EXPECT_EQ(translate_line("a", Markup::xml,
                           [](std::string_view) {
                             return FakeTranslation{"b\x01", {{{0, 2}, {}}}};
                           }),
            "b\uFFFD");
}

TEST(RenderPart, TranslatesTextsOfBlocksApart) {
  EXPECT_EQ(html("<td>a b</td><td>c d</td>", "2 1"), "<td>b a</td><td>d c</td>");
  EXPECT_EQ(html("a b<br>c d", "2 1"), "b a<br>d c");
  EXPECT_EQ(html("<b>a b<br>c d</b>", "2 1"), "<b>b a<br>d c</b>");
  EXPECT_EQ(xml("<x>a b</x><y>c d</y>", "2 1"), "<x>b a</x><y>d c</y>");
}

TEST(RenderPart, LeavesLinesWithoutLettersAsTheyAre) {
  for (const std::string line : {"", "  ", "<b></b>", "<a><b/> 12 &lt; </a>", "< &", "---"}) {
    EXPECT_EQ(xml(line, "0"), line);
    EXPECT_EQ(html(line, "0"), line);
    EXPECT_EQ(markdown(line, "0"), line);
  }
}

TEST(RenderPart, MovesMarkdownMarks) {
  EXPECT_EQ(markdown("# the **red** dog", "3 2 1"), "# dog **red** the");
  EXPECT_EQ(markdown("> 1. *a [b](u \"t\")* `c` d", "3 2 1"), "> 1. `c` d *[b](u \"t\") a*");
  EXPECT_EQ(markdown("| a b | c d |", "2 1"), "| b a | d c |");
  EXPECT_EQ(markdown("see ![a b](i.png)", "2 3 1"), "![a b](i.png) see");
}

TEST(RenderPart, LeavesOutMarkdownMarksWithoutText) {
  EXPECT_EQ(markdown("**a** **b** [c](u)", "2"), "**b**[](u)");
}

TEST(RenderPart, EscapesMarkdown) {
  EXPECT_EQ(markdown("a \\* b_c 2 * 3 [", "1 2 3 4 5 6 7 8 9"), "a \\* b \\_ c 2 \\* 3 \\[");
  EXPECT_EQ(markdown("new ! [c](u)", "1 2 3"), "new ! [c](u)");
  EXPECT_EQ(
      translate_line("a [b](u)", Markup::markdown,
                     [](std::string_view) {
                       return FakeTranslation{
                           "a!b",
                           {{{0, 1}, utf8::Span{0, 1}}, {{1, 2}, {}}, {{2, 3}, utf8::Span{2, 3}}}};
                     }),
      "a\\![b](u)");
}

TEST(RenderPart, EscapesMarksThatTheTranslationBeginsWith) {
  const auto translate = [](const std::string& line, const std::string& translation) {
    return translate_line(line, Markup::markdown, [&](std::string_view) {
      return FakeTranslation{translation, {}};
    });
  };
  EXPECT_EQ(translate("First of May", "1. Mai"), "1\\. Mai");
  EXPECT_EQ(translate("Number one", "# 1"), "\\# 1");
  EXPECT_EQ(translate("- minus", "- x"), "- \\- x");
}

}  // namespace
}  // namespace attend::text::markup_test
