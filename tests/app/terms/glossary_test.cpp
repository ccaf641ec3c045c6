#include "app/terms/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/app/terms/tokenizers.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const PhraseCutter& cutter_of_words() {
  static const PhraseCutter shared(test::word_tokenizer("t u v w x y"));
  return shared;
}

Glossary glossary_of(const std::string& lines) {
  const attend::test::TempDir dir;
  return {read_glossary(dir.write("terms.tsv", lines), cutter_of_words()), cutter_of_words()};
}

auto phrases(const std::vector<std::string>& targets) {
  return cutter_of_words().cut(targets);
}

std::string glossary_error(const std::string& lines) {
  try {
    (void)glossary_of(lines);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Glossary, RequiresATranslationForEachOccurrence) {
  const Glossary glossary = glossary_of("dog\tw\ncat\tx y\tan animal\n");
  EXPECT_THAT(glossary.required_by("a dog , a cat and a dog"),
              ElementsAre(phrases({"w"}), phrases({"x y"}), phrases({"w"})));
  EXPECT_THAT(glossary.required_by("nothing"), IsEmpty());
  EXPECT_EQ(glossary.size(), 2);
}

TEST(Glossary, GathersAlternatives) {
  const Glossary glossary = glossary_of("dog\tw | x\n\ndog\ty\n");
  EXPECT_THAT(glossary.required_by("dog"), ElementsAre(phrases({"w", "x", "y"})));
  EXPECT_EQ(glossary.size(), 1);
}

TEST(Glossary, MatchesWholeWords) {
  const Glossary glossary = glossary_of("dog\tw\nT-shirt\tx\n");
  EXPECT_THAT(glossary.required_by("dogs hotdog dog7"), IsEmpty());
  EXPECT_THAT(glossary.required_by("(dog)"), ElementsAre(phrases({"w"})));
  EXPECT_THAT(glossary.required_by("t-shirts"), IsEmpty());
  EXPECT_THAT(glossary.required_by("a t - shirt"), ElementsAre(phrases({"x"})));
}

TEST(Glossary, TakesTheLongestTermWithoutOverlap) {
  const Glossary glossary = glossary_of("ice\tw\nice cream\tx\ncream cake\ty\n");
  EXPECT_THAT(glossary.required_by("ice  cream cake"), ElementsAre(phrases({"x"})));
  EXPECT_THAT(glossary.required_by("ice , cream cake"),
              ElementsAre(phrases({"w"}), phrases({"y"})));
}

TEST(Glossary, TakesAShorterTermWhereALongerOneOnlyBegins) {
  const Glossary glossary = glossary_of("a b c d\tw\na b\tx\nc e\ty\n");
  EXPECT_THAT(glossary.required_by("a b c e"), ElementsAre(phrases({"x"}), phrases({"y"})));
  EXPECT_THAT(glossary.required_by("a b c d"), ElementsAre(phrases({"w"})));
}

TEST(Glossary, RegardsCaseOnlyOfTermsWithUpperCaseInside) {
  const Glossary glossary = glossary_of("us\tt\nUS\tu\nDog\tv\niPhone\tw\n");
  EXPECT_THAT(glossary.required_by("US"), ElementsAre(phrases({"u"})));
  EXPECT_THAT(glossary.required_by("Us"), ElementsAre(phrases({"t"})));
  EXPECT_THAT(glossary.required_by("dog DOG"), ElementsAre(phrases({"v"}), phrases({"v"})));
  EXPECT_THAT(glossary.required_by("iphone"), IsEmpty());
}

TEST(Glossary, FindsTermsInScriptsWithoutSpaces) {
  const Glossary glossary = glossary_of("猫\tw\n子猫\tx\n");
  EXPECT_THAT(glossary.required_by("白い子猫と猫"), ElementsAre(phrases({"x"}), phrases({"w"})));
}

TEST(Glossary, RefusesTermsOfUnicodeBlanks) {
  for (const std::string blank :
       {"\u3000", "\u00a0", "\u2028", "\u0085", "\v", "\f", "\u3000 \u2003"})
    EXPECT_THAT(glossary_error("dog\tw\n" + blank + "\tx\n"), HasSubstr("terms.tsv:2: ")) << blank;
}

TEST(Glossary, NamesTheLineOfAMistake) {
  EXPECT_THAT(glossary_error("dog\tw\n\ncat x\n"),
              AllOf(HasSubstr("terms.tsv:3: \"cat x\""), HasSubstr("a tab and TARGET")));
  EXPECT_THAT(glossary_error("dog\t\n"), HasSubstr("terms.tsv:1: "));
  EXPECT_THAT(glossary_error("\tw\n"), HasSubstr("terms.tsv:1: "));
  EXPECT_THAT(glossary_error("dog\tw||x\n"), HasSubstr("terms.tsv:1: \"\" is empty"));
  EXPECT_THAT(glossary_error("dog\tw\ncat\t☃\n"), HasSubstr("terms.tsv:2: \"☃\" has \"☃\""));
  EXPECT_THAT(glossary_error("\n"), HasSubstr("has no terms"));
}

TEST(Glossary, MarksTermsWithTheFirstOfTheirTranslations) {
  const Glossary glossary = glossary_of("dog\tw|x\nice cream\ty\n");
  const std::string line = "Ein \u00e4 (Dog), ice  cream";
  const auto marks = glossary.marks(line, 2);
  EXPECT_THAT(glossary.marks(line, 1), IsEmpty());
  ASSERT_EQ(marks.size(), 2);
  EXPECT_EQ(marks[0].span, (utf8::Span{8, 11}));
  EXPECT_EQ(marks[0].target, "w");
  EXPECT_EQ(line.substr(marks[1].span.begin, marks[1].span.end - marks[1].span.begin),
            "ice  cream");
  EXPECT_EQ(marks[1].target, "y");
}

// A file name is not translated, so it does not contain terms.
TEST(Glossary, FindsNothingInsideAProtectedPart) {
  const Glossary glossary = glossary_of("report\tw\n5\tx\nreport 5\ty\n");
  const auto required = [&](const std::string& line, std::vector<utf8::Span> parts) {
    return glossary.required_by(line, parts);
  };
  EXPECT_THAT(required("a report.pdf", {{2, 12}}), IsEmpty());
  EXPECT_THAT(required("a 5", {{2, 3}}), ElementsAre(phrases({"x"})));
  EXPECT_THAT(required("a report 5", {{9, 10}}), ElementsAre(phrases({"y"})));
}

}  // namespace
}  // namespace attend::app
