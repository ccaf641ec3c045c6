#include "app/terms/constraint_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/app/terms/tokenizers.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::filesystem::path kFile = "terms";

const PhraseCutter& cutter() {
  static const PhraseCutter shared(test::word_tokenizer("w x y grün"));
  return shared;
}

std::string line_error(const std::string& line) {
  try {
    (void)parse_constraints(line, {kFile, 7}, cutter());
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConstraintLines, AreListsOfTextsAndAlternatives) {
  const auto groups = parse_constraints(R"( [["w", "x y"], "grün"] )", {kFile, 1}, cutter());
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0], cutter().cut({"w", "x y"}));
  EXPECT_EQ(groups[1], cutter().cut({"grün"}));
}

TEST(ConstraintLines, MayBeEmpty) {
  for (const char* line : {"", "  ", "[]", " [ ] "})
    EXPECT_THAT(parse_constraints(line, {kFile, 1}, cutter()), IsEmpty()) << line;
}

TEST(ConstraintLines, NameFileLineColumnAndFormOfMistakes) {
  const auto expected = AllOf(HasSubstr("expected a JSON list"), HasSubstr("[\"Haus\"]"));
  EXPECT_THAT(line_error("w"), AllOf(StartsWith("terms:7:1: not JSON"), expected));
  EXPECT_THAT(line_error("[\"w\", x]"), StartsWith("terms:7:7: not JSON"));
  EXPECT_THAT(line_error("[\"w\""), StartsWith("terms:7:5: not JSON"));
  EXPECT_THAT(line_error("[\"w\"] []"), StartsWith("terms:7:7: not JSON"));
  EXPECT_THAT(line_error("\"w\""), StartsWith("terms:7:1: a string outside a list"));
  EXPECT_THAT(line_error("{\"w\": 1}"), StartsWith("terms:7:1: an object"));
  EXPECT_THAT(line_error("[\"grün\", 12]"), AllOf(StartsWith("terms:7:10: a number"), expected));
  EXPECT_THAT(line_error("[\"w\", null]"), StartsWith("terms:7:7: null"));
  EXPECT_THAT(line_error("[ [[\"w\"]]]"), StartsWith("terms:7:4: a list inside a list"));
  EXPECT_THAT(line_error("[\"w\", []]"), StartsWith("terms:7:7: an empty list of alternatives"));
}

TEST(ConstraintLines, NameTextsThatNoTranslationCanContain) {
  EXPECT_THAT(line_error("[\"grün\", [\"w\", \"x ☃\"]]"),
              AllOf(StartsWith("terms:7:16: \"x ☃\" has \"☃\""), HasSubstr("vocabulary lacks")));
  EXPECT_THAT(line_error("[\"\"]"), StartsWith("terms:7:2: \"\" is empty"));
}

}  // namespace
}  // namespace attend::app
