#include "draw/attention_page.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/error.h"
#include "core/utf8.h"
#include "tests/support/temp_dir.h"

namespace attend::draw {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// "das haus" in three pieces, "the house" in two.
PageReading reading() {
  PageReading result;
  result.matrix = {.target = {"▁the", "▁house", "</s>"},
                   .source = {"▁das", "▁ha", "us", "</s>"},
                   .weights = align::WeightTable(3, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}),
                   .heads = {}};
  result.words = PageWords{.source = {{"das", "haus", "</s>"}, {0, 1, 1, 2}, true},
                           .target = {{"the", "house", "</s>"}, {0, 1, 2}, true}};
  return result;
}

std::string page_of(const std::vector<PageSentence>& sentences,
                    const AttentionPageOptions& options = {}) {
  const test::TempDir dir;
  AttentionPage page(dir / "index.html", options);
  for (const PageSentence& sentence : sentences) page.add(sentence);
  page.commit();
  return test::read_text(dir / "index.html");
}

// The JSON data of the page; the first object is about the page itself.
std::vector<json> data_of(const std::string& html) {
  std::vector<json> objects;
  for (std::size_t at = html.find("<script type=\"application/json\""); at != std::string::npos;
       at = html.find("<script type=\"application/json\"", at + 1)) {
    const std::size_t begin = html.find('>', at) + 1;
    objects.push_back(json::parse(html.substr(begin, html.find("</script>", begin) - begin)));
  }
  return objects;
}

TEST(AttentionPage, HoldsOneObjectPerSentenceInOrder) {
  const auto data = data_of(page_of({{.id = 7, .readings = {reading()}, .gold = {}},
                                     {.id = 7, .rank = 1, .readings = {reading()}, .gold = {}}}));
  ASSERT_THAT(data, SizeIs(3));
  EXPECT_EQ(data[1]["id"], 7);
  EXPECT_EQ(data[1]["rank"], 0);
  EXPECT_EQ(data[2]["rank"], 1);
}

TEST(AttentionPage, HoldsTheWordOfEachPiece) {
  const auto data = data_of(page_of({{.readings = {reading()}, .gold = {}}}));
  const json source = data[1]["readings"][0]["source"];
  EXPECT_EQ(source["tokens"], json({"▁das", "▁ha", "us", "</s>"}));
  EXPECT_EQ(source["words"], json({"das", "haus", "</s>"}));
  EXPECT_EQ(source["wordOf"], json({0, 1, 1, 2}));
}

TEST(AttentionPage, PacksTheMeanAndEveryHead) {
  PageReading two = reading();
  two.matrix.heads = {two.matrix.weights, align::WeightTable(3, 4)};
  const auto data = data_of(page_of({{.readings = {two}, .gold = {}}}));
  const json packed = data[1]["readings"][0];
  // A zero takes one byte, a one three (A0 8D 06): 9 + 3 * 3 bytes. Base64 by Python.
  EXPECT_EQ(packed["weights"], "oI0GAAAAAKCNBgAAAAAAoI0G");
  EXPECT_THAT(packed["heads"], ElementsAre("oI0GAAAAAKCNBgAAAAAAoI0G", "AAAAAAAAAAAAAAAA"));
}

TEST(AttentionPage, KeepsLinksScoreAndGold) {
  PageReading linked = reading();
  linked.links = align::Links{{0, 0}, {1, 1}};
  linked.score = -1.5;
  const align::GoldLinks gold{.sure = {{0, 0}}, .possible = {{0, 0}, {1, 1}}};
  const auto data = data_of(page_of({{.readings = {linked}, .gold = gold}}));
  EXPECT_EQ(data[1]["readings"][0]["links"], json::parse("[[0,0],[1,1]]"));
  EXPECT_EQ(data[1]["readings"][0]["score"], -1.5);
  EXPECT_EQ(data[1]["gold"], json::parse(R"({"sure": [[0,0]], "possible": [[0,0],[1,1]]})"));
}

/// reading() with two encoder layers, the first with two heads, and one decoder layer.
PageReading layered_reading() {
  PageReading result = reading();
  align::AttentionMatrix source{.target = result.matrix.source,
                                .source = result.matrix.source,
                                .weights = align::WeightTable(4, 4),
                                .heads = {}};
  align::AttentionMatrix several = source;
  several.heads = {source.weights, source.weights};
  align::AttentionMatrix target{.target = result.matrix.target,
                                .source = {"<s>", "▁the", "</script><b>"},
                                .source_end = false,
                                .weights = align::WeightTable(3, 3),
                                .heads = {}};
  result.words->input = {{"<s>", "the", "</script><b>"}, {0, 1, 2}, false};
  result.kinds = {{"encoder", {several, source}, source}, {"decoder", {target}, {}}};
  return result;
}

TEST(AttentionPage, NamesTheSlotsOfAMemoryAsPiecesAndWords) {
  PageReading result = reading();
  align::AttentionMatrix slots{.target = result.matrix.source,
                               .source = {"1", "2"},
                               .source_end = false,
                               .weights = align::WeightTable(4, 2),
                               .heads = {}};
  result.kinds = {{"encoder_memory", {slots}, {}}};
  const json packed = data_of(page_of({{.readings = {result}, .gold = {}}}))[1]["readings"][0];
  EXPECT_EQ(packed["encoder_memory_slots"],
            json::parse(R"({"tokens": ["1", "2"], "end": false, "words": ["1", "2"],
                            "wordOf": [0, 1]})"));
  EXPECT_EQ(packed["kinds"]["encoder_memory"]["layers"][0][0], "AAAAAAAAAAA=");
}

TEST(AttentionPage, HoldsEveryKindLayerAndHead) {
  const std::string html = page_of({{.readings = {layered_reading()}, .gold = {}}});
  const json packed = data_of(html)[1]["readings"][0];
  const std::string zeros = "AAAAAAAAAAAAAAAAAAAAAA==", nine = "AAAAAAAAAAAA";
  EXPECT_EQ(packed["kinds"]["encoder"]["layers"],
            json({json::array({zeros, zeros}), json::array({zeros})}));
  EXPECT_EQ(packed["kinds"]["encoder"]["rollout"], zeros);
  EXPECT_EQ(packed["kinds"]["decoder"]["layers"], json::array({json::array({nine})}));
  EXPECT_FALSE(packed["kinds"]["decoder"].contains("rollout"));
  EXPECT_EQ(packed["input"]["tokens"], json({"<s>", "▁the", "</script><b>"}));
  EXPECT_EQ(packed["input"]["wordOf"], json({0, 1, 2}));
  EXPECT_THAT(html, AllOf(HasSubstr("<select id=\"kind\""), HasSubstr("<select id=\"layer\""),
                          Not(HasSubstr("</script><b>"))));
}

TEST(AttentionPage, HoldsNoKindsIfThereAreNone) {
  const json packed = data_of(page_of({{.readings = {reading()}, .gold = {}}}))[1]["readings"][0];
  EXPECT_FALSE(packed.contains("kinds") || packed.contains("input"));
}

TEST(AttentionPage, RejectsKindsThatDoNotFit) {
  const test::TempDir dir;
  AttentionPage page(dir / "index.html", {});
  PageReading wrong = layered_reading();
  wrong.kinds[0].layers[1].source.pop_back();
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
  wrong = layered_reading();
  wrong.words->input.group_of.pop_back();
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
  wrong = layered_reading();
  wrong.kinds[1].layers.clear();
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
}

TEST(AttentionPage, HoldsTwoModels) {
  const auto data = data_of(
      page_of({{.readings = {reading(), reading()}, .gold = {}}}, {.models = {"old", "new"}}));
  EXPECT_EQ(data[0]["models"], json({"old", "new"}));
  EXPECT_THAT(data[1]["readings"], SizeIs(2));
}

// Without attention, the page still shows the text.
TEST(AttentionPage, HoldsAModelWithoutAttention) {
  PageReading none = reading();
  none.matrix.weights = {};
  const auto data = data_of(page_of({{.readings = {none}, .gold = {}}}));
  EXPECT_FALSE(data[1]["readings"][0].contains("weights"));
  EXPECT_EQ(data[1]["readings"][0]["target"]["tokens"][1], "▁house");
}

TEST(AttentionPage, PreservesEveryName) {
  const std::vector<std::string> names = {
      "</script><b>",         "<!--",       "a\u2028b\u2029", "\"'\\&amp;",
      std::string("n\0l", 3), "\x01\x1b\n", "{{data}}"};
  PageReading odd;
  odd.matrix = {.target = {"x", "</s>"},
                .source = names,
                .source_end = false,
                .weights = align::WeightTable(2, names.size()),
                .heads = {}};
  const std::string html = page_of({{.readings = {odd}, .gold = {}}});
  const auto data = data_of(html);
  ASSERT_THAT(data, SizeIs(2));
  EXPECT_EQ(data[1]["readings"][0]["source"]["tokens"], json(names));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("</script><b>")), Not(HasSubstr("\u2028"))));
  EXPECT_EQ(html.find('\0'), std::string::npos);
}

TEST(AttentionPage, EscapesItsTitle) {
  const std::string title = "a < b & {{script}}</title>";
  const std::string html = page_of({}, {.title = title});
  EXPECT_THAT(html, HasSubstr("<title>a &lt; b &amp; {{script}}&lt;/title&gt;</title>"));
  EXPECT_EQ(data_of(html)[0]["title"], title);
}

// Regression: pages named after a folder with ill-formed UTF-8 were ill-formed.
TEST(AttentionPage, IsWellFormedWithAnyTitle) {
  const std::string html = page_of({}, {.title = "runs/\xFFm30k"});
  EXPECT_TRUE(utf8::is_valid(html));
  EXPECT_THAT(html, HasSubstr("<title>runs/\xEF\xBF\xBDm30k</title>"));
}

// The page has no address that a browser would fetch.
TEST(AttentionPage, NeedsNoNetwork) {
  const std::string html = page_of({{.readings = {reading()}, .gold = {}}});
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* outside : {"http://", "https://", " src=", "@import", "url("})
    EXPECT_THAT(html, Not(HasSubstr(outside))) << outside;
}

TEST(AttentionPage, AppearsOnCommit) {
  const test::TempDir dir;
  AttentionPage page(dir / "index.html", {});
  page.add({.readings = {reading()}, .gold = {}});
  EXPECT_FALSE(std::filesystem::exists(dir / "index.html"));
  page.commit();
  EXPECT_TRUE(std::filesystem::exists(dir / "index.html"));
}

TEST(AttentionPage, ThrowsDataErrorIfItCannotBeWritten) {
  EXPECT_THROW(AttentionPage("/no/such/folder/index.html", {}), DataError);
}

TEST(AttentionPage, RejectsReadingsThatDoNotFit) {
  const test::TempDir dir;
  AttentionPage page(dir / "index.html", {});
  EXPECT_THROW(page.add({.readings = {}, .gold = {}}), std::logic_error);
  EXPECT_THROW(page.add({.readings = {reading(), reading(), reading()}, .gold = {}}),
               std::logic_error);
  PageReading wrong = reading();
  wrong.words->source.group_of.pop_back();
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
  wrong = reading();
  wrong.words->target.group_of[0] = 3;
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
  wrong = reading();
  wrong.matrix.source.pop_back();
  EXPECT_THROW(page.add({.readings = {wrong}, .gold = {}}), std::logic_error);
}

}  // namespace
}  // namespace attend::draw
