#include "text/markup/markup_reader.h"

#include <gmock/gmock.h>

namespace attend::text {
namespace {

using ::testing::ElementsAre;

/// The tags of a line, each in brackets, with its text between them; elements as (b ... b).
std::string shown(const MarkedLine& line) {
  std::string result;
  std::size_t end = 0;
  for (const Tag& tag : line.tags) {
    result += line.text.substr(end, tag.offset - end);
    end = tag.offset;
    const bool opens = tag.partner && line.tags[*tag.partner].raw.begin > tag.raw.begin;
    const std::string raw = line.raw.substr(tag.raw.begin, tag.raw.end - tag.raw.begin);
    result += (opens ? "(" : tag.partner ? "" : "{") + raw + (opens ? "" : tag.partner ? ")" : "}");
    if (tag.separates) result += "/";
  }
  return result + line.text.substr(end);
}

std::vector<std::string> read_all(Markup markup, const std::vector<std::string>& lines) {
  const auto reader = make_markup_reader(markup);
  std::vector<std::string> all;
  for (const std::string& line : lines) all.push_back(shown(reader->read(line)));
  return all;
}

std::string xml(const std::string& line) {
  return read_all(Markup::xml, {line}).front();
}
std::string html(const std::string& line) {
  return read_all(Markup::html, {line}).front();
}
std::string markdown(const std::string& line) {
  return read_all(Markup::markdown, {line}).front();
}

TEST(MarkupReader, PairsTags) {
  EXPECT_EQ(xml("a <b>c</b> <x y='>'/>d"), "a (<b>c</b>) {<x y='>'/>}d");
  EXPECT_EQ(xml("<a><b></b></a>"), "(<a>(<b></b>)</a>)");
  EXPECT_EQ(xml("<a>x<b>y</a>z</b>"), "(<a>x{<b>}y</a>)z{</b>}");
  EXPECT_EQ(xml("<A>x</a>"), "{<A>}x{</a>}");
  EXPECT_EQ(html("<B>x</b>"), "(<B>x</b>)");
}

TEST(MarkupReader, ReadsWhatIsNoTagAsText) {
  for (const std::string line : {"a < b", "x <3", "<", "</", "</ a>", "a <b and c> d", "<b", "</b",
                                 "a<b<c", "<!", "<!-", "<1>"})
    EXPECT_EQ(xml("t " + line), "t " + line);
  EXPECT_EQ(html("x <3 </> <>"), "x <3 </> <>");
  EXPECT_EQ(xml("<a b=\"x>y</a>"), "(<a b=\"x>y</a>)");
}

TEST(MarkupReader, DecodesEntities) {
  EXPECT_EQ(xml("&lt;b&gt; &amp;amp; &quot;&apos; &#65;&#x42; & &amp &a b;"),
            "<b> &amp; \"' AB & &amp &a b;");
  EXPECT_EQ(xml("&nbsp;&own;&#10;&#xD800;&#99999999999;&#;x"),
            "{&nbsp;}{&own;}{&#10;}{&#xD800;}{&#99999999999;}&#;x");
  EXPECT_EQ(html("&eacute;&ndash;&Alpha;&thetasym;"), "é–Αϑ");
}

TEST(MarkupReader, LeavesWhatIsNotTranslatedOut) {
  EXPECT_EQ(xml("a<!-- <b> --><![CDATA[</b>]]><?p a>b?><!DOCTYPE x [<!ENTITY y 'z'>]>c"),
            "a{<!-- <b> -->}{<![CDATA[</b>]]>}{<?p a>b?>}{<!DOCTYPE x [<!ENTITY y 'z'>]>}c");
  EXPECT_EQ(xml("a <code>b <code>c</code> </code> d"), "a {<code>b <code>c</code> </code>} d");
  EXPECT_EQ(html("<SCRIPT>a<script>'</b>'</script>b"), "{<SCRIPT>a<script>'</b>'</script>}/b");
  EXPECT_EQ(html("<i translate=\"no\">a<i>b</i></i><i class=notranslate>c</i><i>d</i>"),
            "{<i translate=\"no\">a<i>b</i></i>}{<i class=notranslate>c</i>}(<i>d</i>)");
}

TEST(MarkupReader, SeparatesTextsOfBlocks) {
  EXPECT_EQ(html("<p>a<br>b</p>c<wbr>d"), "(<p>/a{<br>}/b</p>)/c{<wbr>}d");
  EXPECT_EQ(xml("<p>a</p><q>b</q> <r>c</r>"), "(<p>a</p>)(<q>/b</q>) (<r>c</r>)");
}

TEST(MarkupReader, ReadsPartsThatGoOnInOtherLines) {
  EXPECT_THAT(read_all(Markup::xml, {"a <!-- b", "c", "<d> --> e"}),
              ElementsAre("a {<!-- b}", "{c}", "{<d> -->} e"));
  EXPECT_THAT(read_all(Markup::html, {"a <a href='b", "c>'", " d>e</a>"}),
              ElementsAre("a {<a href='b}", "{c>'}", "{ d>}e{</a>}"));
  EXPECT_THAT(read_all(Markup::html, {" <div", "<b>x</b>"}), ElementsAre(" {<div}/", "(<b>x</b>)"));
  EXPECT_THAT(read_all(Markup::html, {"<pre>a", "", "<b>", "</pre>c"}),
              ElementsAre("{<pre>a}/", "", "{<b>}/", "{</pre>}/c"));
  EXPECT_THAT(read_all(Markup::html, {"<script", "src='a'>b", "c</script>d"}),
              ElementsAre("{<script}/", "{src='a'>b}/", "{c</script>}/d"));
}

TEST(MarkupReader, SaysWhatIsOpen) {
  const auto reader = make_markup_reader(Markup::markdown);
  EXPECT_EQ(reader->open_part(), "");
  (void)reader->read("````");
  EXPECT_EQ(reader->open_part(), "````");
  (void)reader->read("```");
  EXPECT_EQ(reader->open_part(), "````");
  (void)reader->read("`````");
  EXPECT_EQ(reader->open_part(), "");
  (void)reader->read("a <!-- b");
  EXPECT_EQ(reader->open_part(), "<!--");
}

// As the reference implementation of CommonMark (commonmark.js 0.31) reads these lines.
TEST(MarkupReader, ReadsEmphasisOfMarkdown) {
  EXPECT_EQ(markdown("*a* **b** ***c*** _d_ __e__ ~~f~~"),
            "(*a*) (**b**) (***c***) (_d_) (__e__) (~~f~~)");
  EXPECT_EQ(markdown("*a **b** c*"), "(*a (**b**) c*)");
  EXPECT_EQ(markdown("***a* b**"), "(**(*a*) b**)");
  EXPECT_EQ(markdown("**a *b***"), "(**a (*b*)**)");
  EXPECT_EQ(markdown("a * b * c ** d"), "a * b * c ** d");
  EXPECT_EQ(markdown("snake_case_name 2*3*4"), "snake_case_name 2(*3*)4");
  EXPECT_EQ(markdown("*a [b* c](u)"), "*a ([b* c](u))");
  EXPECT_EQ(markdown("\\*a* \\\\ `*b` *c*"), "*a* \\ {`*b`} (*c*)");
}

TEST(MarkupReader, ReadsLinksOfMarkdown) {
  EXPECT_EQ(markdown("[a](u(v) 'w') ![b](x) [c][d] [e] f] [g"),
            "([a](u(v) 'w')) (![b](x)) ([c][d]) ([e]) f] [g");
  EXPECT_EQ(markdown("[![a](b)](c)"), "([(![a](b))](c))");
  EXPECT_EQ(markdown("a[^1] https://x.y/z_(1)_2. <https://a.b> <a@b.c>"),
            "a{[^1]} {https://x.y/z_(1)_2}. {<https://a.b>} {<a@b.c>}");
  EXPECT_EQ(markdown("[a]: https://x 'T'"), "{[a]: https://x 'T'}/");
  EXPECT_EQ(markdown("[^1]: a *b*"), "{[^1]:} a (*b*)");
}

TEST(MarkupReader, ReadsBlocksOfMarkdown) {
  EXPECT_EQ(markdown("## a ##"), "{## }/a {##}");
  EXPECT_EQ(markdown("> - 1. [x] *a*"), "{> - 1. [x] }/(*a*)");
  EXPECT_EQ(markdown("| a | `b|c` \\| |"), "{|}/ a {|}/ {`b|c`} | {|}/");
  EXPECT_EQ(markdown("a | b"), "a | b");
  EXPECT_EQ(markdown("a <b>*c*</b> &amp; <br>d"), "a (<b>(*c*)</b>) & {<br>}/d");
  EXPECT_THAT(read_all(Markup::markdown, {"```py", "*a*", "```", "*b*", "~~~", "c"}),
              ElementsAre("{```py}/", "{*a*}/", "{```}/", "(*b*)", "{~~~}/", "{c}/"));
}

}  // namespace
}  // namespace attend::text
