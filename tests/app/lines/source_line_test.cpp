#include "app/lines/source_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "data/tokenizer_models.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace attend::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The parts of a word-level model with two sources that reading lines needs.
class SourceLines : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string es = dir_.write("es", "uno dos tres\n"), en = dir_.write("en", "one two\n");
    data::CorpusFiles files;
    files.sources = {{"es", es}, {"en", en}};
    files.target = dir_.write("de", "eins zwei drei vier\n");
    model_.experiment.data.train = {files};
    text::TokenizerOptions options;
    options.type = text::TokenizerType::word;
    const auto models = data::tokenizer_models(options, model_.experiment.data, {});
    model_.source =
        std::make_shared<text::Tokenizer>(dir_.write("tokenizer.model", models.front()), false);
    model_.directory = "runs/two";
  }

  test::TempDir dir_;
  LoadedModel model_;
};

TEST_F(SourceLines, HaveAnEndSymbolForEachTab) {
  const SourcePieces pieces = cut_source(model_, "uno dos\ttwo", 9, 1);
  EXPECT_THAT(pieces.line.pieces, ElementsAre("▁uno", "▁dos", "</s>", "▁two"));
  EXPECT_EQ(pieces.line.ids[2], text::kEos);
  EXPECT_EQ(pieces.line.text, "uno dos two");  // the tab became a space
  EXPECT_EQ(pieces.line.spans[2], (utf8::Span{7, 8}));
  const utf8::Span last = pieces.line.spans[3];
  EXPECT_EQ(pieces.line.text.substr(last.begin, last.end - last.begin), "two");
  EXPECT_EQ(pieces.dropped, 0);
  EXPECT_FALSE(is_empty(pieces.line));
  EXPECT_TRUE(is_empty(cut_source(model_, "\t", 9, 1).line));
}

TEST_F(SourceLines, AreCutSourceBySource) {
  const SourcePieces pieces = cut_source(model_, "uno dos tres\tone two", 1, 1);
  EXPECT_THAT(pieces.line.pieces, ElementsAre("▁uno", "</s>", "▁one"));
  EXPECT_EQ(pieces.dropped, 3);
  EXPECT_EQ(cut_source(model_, "uno dos tres\tone two", -1, 1).line.pieces.size(), 6U);
}

TEST_F(SourceLines, HaveAsManySourcesAsTheModelReads) {
  EXPECT_THAT(
      [&] { (void)cut_source(model_, "uno dos", 9, 7); },
      ::testing::ThrowsMessage<DataError>(::testing::AllOf(
          HasSubstr("line 7 has 1 source"), HasSubstr("runs/two reads 2"), HasSubstr("es, en"))));
  EXPECT_THROW((void)cut_source(model_, "a\tb\tc", 9, 1), DataError);
}

}  // namespace
}  // namespace attend::app
