#include "text/term_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/text/toy_model.h"

namespace attend::text {
namespace {

constexpr const char* kLine = "ein Hund, ein Haus";
const std::vector<TermMark> kTerms = {{{4, 8}, "dog"}, {{14, 18}, "the house"}};

TEST(TermMarks, PutsTheTranslationAfterTheTerm) {
  EXPECT_EQ(with_marked_terms(kLine, kTerms).text,
            "ein \u27E6<\u27E7 Hund \u27E6=\u27E7 dog \u27E6>\u27E7, ein "
            "\u27E6<\u27E7 Haus \u27E6=\u27E7 the house \u27E6>\u27E7");
  EXPECT_EQ(with_marked_terms(kLine, {}).text, kLine);
}

TEST(TermMarks, AllOfAMarkedTermIsTheTermOfTheLine) {
  const ProtectedLine marked = with_marked_terms(kLine, kTerms);
  const std::size_t dog = marked.text.find("dog"), comma = marked.text.find(',');
  EXPECT_EQ(marked.original({dog, dog + 3}), (utf8::Span{4, 8}));
  EXPECT_EQ(marked.original({comma, comma + 1}), (utf8::Span{8, 9}));
  EXPECT_EQ(marked.original({0, 3}), (utf8::Span{0, 3}));
  const std::size_t house = marked.text.find("house");
  EXPECT_EQ(marked.original({house, house + 5}), (utf8::Span{14, 18}));
}

TEST(TermMarks, NeedPiecesForAllSymbols) {
  const test::TempDir folder;
  EXPECT_FALSE(has_term_symbols(Tokenizer(test::toy_model(folder), false)));
}

TEST(TermSymbols, AreFoundAndSpelledOut) {
  EXPECT_EQ(reserved_symbol("a \u27E6x\u27E7 \u27E6=\u27E7 \u27E61\u27E7"), "\u27E6=\u27E7");
  EXPECT_EQ(reserved_symbol("\u27E6\u27E616\u27E7"), "\u27E616\u27E7");
  EXPECT_EQ(reserved_symbol("\u27E617\u27E7 \u27E6"), "");
  const std::string line = "\u27E6<\u27E7\u27E61\u27E7 \u27E6>\u27E7";
  EXPECT_EQ(with_replacements(line, spelled_out_symbols(line)).text,
            "\u27E6 < \u27E7\u27E61\u27E7 \u27E6 > \u27E7");
}

}  // namespace
}  // namespace attend::text
