#include "app/terms/line_protection.h"

#include <gmock/gmock.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "decode/scoring/required_phrases.h"
#include "tests/app/terms/tokenizers.h"

namespace attend::app {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr const char* kWords = "ein Hund schläft in 5 Tagen , (%s)";

/// Translations by a model that writes placeholders, or by one that does not.
class Protected : public testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<const LineProtection::Writer> writer(bool with_placeholders) const {
    text::ProtectOptions options{.kinds = {text::ProtectedKind::all}, .patterns = {}};
    return std::make_shared<const LineProtection::Writer>(LineProtection::Writer{
        text::ProtectedSpans(options),
        with_placeholders ? text::placeholder_ids(*target_) : std::vector<text::TokenId>(),
        target_->find("\u2581"), PhraseCutter(target_)});
  }
  /// The line "%s ... 5 ... 5".
  [[nodiscard]] LineProtection with_placeholders() const {
    return {writer(true), {{"%s", 1, false}, {"5", 2, true}}, {}};
  }
  [[nodiscard]] LineProtection as_text() const {
    return {writer(false), {}, {{"%s", 1, true}, {"5", 2, true}}};
  }
  [[nodiscard]] TokenizedLine written(const std::string& text) const {
    return detokenize_line(*target_, target_->encode(text));
  }

  std::shared_ptr<const text::Tokenizer> target_ = test::placeholder_tokenizer(kWords);
};

TEST_F(Protected, TextsTakeThePlaceOfTheirPlaceholders) {
  TokenizedLine line = written("\u27E62\u27E7 Hund, (\u27E61\u27E7) \u27E62\u27E7");
  const std::vector<text::TokenId> ids = line.ids;
  EXPECT_TRUE(with_placeholders().restore(line));
  EXPECT_EQ(line.text, "5 Hund, (%s) 5");
  EXPECT_EQ(line.ids, ids);
  std::size_t end = 0;
  for (const utf8::Span& span : line.spans) {
    EXPECT_EQ(span.begin, end);
    end = span.end;
  }
  EXPECT_EQ(end, line.text.size());
  EXPECT_EQ(line.spans.back(), (utf8::Span{end - 1, end}));
}

TEST_F(Protected, PiecesFromTheEndAreRestoredInReadingOrder) {
  target_ = test::placeholder_tokenizer(kWords, text::PieceOrder::kReversed);
  TokenizedLine line = written("\u27E62\u27E7 Hund \u27E62\u27E7 \u27E61\u27E7");
  EXPECT_TRUE(with_placeholders().restore(line));
  EXPECT_EQ(line.text, "5 Hund 5 %s");
  EXPECT_EQ(line.spans.front(), (utf8::Span{9, 11}));
}

TEST_F(Protected, SurplusPlaceholdersVanishAndMissingTextsAreAdded) {
  TokenizedLine line = written("\u27E61\u27E7 Hund \u27E61\u27E7\u27E63\u27E7");
  EXPECT_FALSE(with_placeholders().restore(line));
  EXPECT_EQ(line.text, "%s Hund 5 5");
}

TEST_F(Protected, TextsWithoutPlaceholdersAreCountedOutsideOfWords) {
  for (const char* text : {"5 Hund, 5 (%s)", "%s,5 5"}) {
    TokenizedLine line = written(text);
    EXPECT_TRUE(as_text().restore(line)) << text;
    EXPECT_EQ(line.text, text);
  }
  TokenizedLine line = written("55 Hund 5 %s");
  EXPECT_FALSE(as_text().restore(line));
  EXPECT_EQ(line.text, "55 Hund 5 %s 5");
}

// Symptom: two numbers, or a number and a word, became one.
TEST_F(Protected, TextsAndWordsAreKeptApart) {
  for (const auto& [placeholders, text] :
       {std::pair{"ein\u27E62\u27E7\u27E62\u27E7 \u27E61\u27E7", "ein 5 5 %s"},
        std::pair{"\u27E62\u27E7Hund\u27E61\u27E7\u27E62\u27E7", "5 Hund%s 5"}}) {
    TokenizedLine line = written(placeholders);
    EXPECT_TRUE(with_placeholders().restore(line));
    EXPECT_EQ(line.text, text);
    for (std::size_t i = 1; i < line.spans.size(); ++i)
      EXPECT_GE(line.spans[i].begin, line.spans[i - 1].end);
    EXPECT_EQ(line.spans.back().end, line.text.size());
  }
  const LineProtection joined(writer(true),
                              {{.text = "%s", .count = 1},
                               {.text = "5",
                                .count = 1,
                                .after_blank = false,
                                .before_blank = false,
                                .after_word = true,
                                .before_word = true}},
                              {});
  TokenizedLine line = written("ein\u27E62\u27E7Hund \u27E61\u27E7");
  EXPECT_TRUE(joined.restore(line));
  EXPECT_EQ(line.text, "ein5Hund %s") << "as in the line";
}

TEST_F(Protected, ConstraintsNameTheTextsByTheirPlaceholders) {
  EXPECT_EQ(with_placeholders().with_placeholders("in 5 Tagen, 55"), "in \u27E62\u27E7 Tagen, 55");
}

TEST_F(Protected, TheSecondSearchRequiresEachTextAsOftenAsItOccurs) {
  const auto ids = text::placeholder_ids(*target_);
  decode::SearchSentence sentence;
  sentence.required = std::make_shared<const decode::RequiredPhrases>(
      decode::RequiredPhrases{.groups = {{{.tokens = {ids[7]}}}}});
  const decode::SearchSentence again = with_placeholders().required_in(sentence);
  decode::PhraseAutomaton automaton(*again.required);
  int32_t state = decode::PhraseAutomaton::kStart;
  for (const text::TokenId id : {ids[0], ids[1], ids[7], ids[1]}) {
    EXPECT_GT(automaton.missing(state), 0);
    state = automaton.next(state, id);
  }
  EXPECT_EQ(automaton.missing(state), 0);
}

TEST_F(Protected, TheSecondSearchForbidsFurtherPlaceholders) {
  const auto ids = text::placeholder_ids(*target_);
  const decode::SearchSentence again = with_placeholders().required_in({});
  const std::vector<text::TokenId> tokens = {ids[1], ids[0], target_->find("\u2581").value()};
  const torch::Tensor row = torch::zeros({target_->size()});
  again.constraint->forbid(tokens, row);
  const auto is_forbidden = [&](std::size_t number) {
    return torch::isinf(row[ids[number]]).item<bool>();
  };
  EXPECT_TRUE(is_forbidden(0));
  EXPECT_FALSE(is_forbidden(1));  // "5" occurs twice
  EXPECT_TRUE(is_forbidden(2));
  EXPECT_EQ(torch::isinf(row).sum().item<int64_t>(), 15);
}

TEST_F(Protected, BlanksBeforeATextOfTheLineAreInTheTranslationToo) {
  const auto ids = text::placeholder_ids(*target_);
  const text::TokenId blank = target_->find("\u2581").value();
  const decode::SearchSentence again = with_placeholders().required_in({});
  EXPECT_THAT(again.required->groups[0], ElementsAre(decode::Phrase{{ids[0]}}));
  EXPECT_THAT(again.required->groups[1], ElementsAre(decode::Phrase{{blank, ids[1]}}));
  const std::vector<text::TokenId> tokens = {ids[0]};
  const torch::Tensor row = torch::zeros({target_->size()});
  again.constraint->forbid(tokens, row);
  EXPECT_TRUE(torch::isinf(row[ids[1]]).item<bool>());
  decode::SearchSentence begun;
  begun.prefix = {ids[0]};
  EXPECT_THAT(with_placeholders().required_in(begun).required->groups[1],
              ElementsAre(decode::Phrase{{ids[1]}}));
}

TEST_F(Protected, TextsOfMarksMayFollowOtherTextDirectly) {
  const PhraseCutter cutter(target_);
  EXPECT_THAT(cutter.cut_anywhere("5"), SizeIs(1));
  const auto group = cutter.cut_anywhere("%s");
  ASSERT_THAT(group, SizeIs(2));
  const auto text_of = [&](const decode::Phrase& phrase) {
    std::string text;
    for (const text::TokenId id : phrase.tokens) text += target_->piece(id);
    return text;
  };
  EXPECT_THAT((std::vector{text_of(group[0]), text_of(group[1])}), ElementsAre("\u2581%s", "%s"));
}

}  // namespace
}  // namespace attend::app
