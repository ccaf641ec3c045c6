#include "align/links.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::align {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(Pharaoh, WritesLinksBySourceThenTarget) {
  EXPECT_EQ(format_pharaoh({{10, 2}, {0, 3}, {0, 1}, {2, 0}}), "0-1 0-3 2-0 10-2");
}

TEST(Pharaoh, WritesNoLinksAsAnEmptyLine) {
  EXPECT_EQ(format_pharaoh({}), "");
}

TEST(Pharaoh, ReadsOneSetPerLine) {
  const test::TempDir dir;
  const auto sentences = read_pharaoh(dir.write("links", "2-0 0-1  0-1\n\n3-4\n"));
  EXPECT_THAT(sentences, ElementsAre(Links{{0, 1}, {2, 0}}, Links{}, Links{{3, 4}}));
}

TEST(Pharaoh, ReadsWhatItWrote) {
  const test::TempDir dir;
  const Links links{{0, 0}, {7, 12}, {3, 1}};
  EXPECT_THAT(read_pharaoh(dir.write("links", format_pharaoh(links))), ElementsAre(links));
}

class MalformedLink : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedLink, IsNamedWithFileAndLine) {
  const test::TempDir dir;
  const auto path = dir.write("links", "0-0\n1-1 " + GetParam() + " 2-2\n");
  const auto matches = ThrowsMessage<DataError>(
      AllOf(HasSubstr(path.string() + ":2: "),
            HasSubstr("\"" + GetParam() + "\" is not a link; expected pairs")));
  EXPECT_THAT([&] { (void)read_pharaoh(path); }, matches);
}

INSTANTIATE_TEST_SUITE_P(Pharaoh, MalformedLink,
                         ::testing::Values("3", "3-", "-3", "a-1", "1-b", "1--2", "-1-2", "1-2-3",
                                           "1_2", "1p2", "+1-2", "1.0-2", "99999999999-1"));

TEST(Gold, TakesSureLinksForPossibleOnesToo) {
  const test::TempDir dir;
  const auto gold = read_gold(dir.write("gold", "0-1 2p3\n\n"));
  ASSERT_EQ(gold.size(), 2U);
  EXPECT_THAT(gold[0].sure, ElementsAre(Link{0, 1}));
  EXPECT_THAT(gold[0].possible, ElementsAre(Link{0, 1}, Link{2, 3}));
  EXPECT_THAT(gold[1].possible, IsEmpty());
}

TEST(Gold, NamesAMalformedLinkWithFileAndLine) {
  const test::TempDir dir;
  const auto path = dir.write("gold", "0-1\n0q1\n");
  EXPECT_THAT(
      [&] { (void)read_gold(path); },
      ThrowsMessage<DataError>(AllOf(HasSubstr(path.string() + ":2: "), HasSubstr("\"0q1\""),
                                     HasSubstr("0-2 for a sure link or 0p2 for a possible one"))));
}

TEST(Gold, OfAMissingFileIsADataError) {
  EXPECT_THROW((void)read_gold("no/such/file"), DataError);
}

TEST(CheckInside, AcceptsTheLastWordsAndNamesALinkBehindThem) {
  EXPECT_NO_THROW(check_inside({{2, 4}}, 3, 5, "f", 7));
  EXPECT_THAT(
      [] {
        check_inside({{3, 4}}, 3, 5, "f", 7);
      },
      ThrowsMessage<DataError>(
          HasSubstr("f:7: link 3-4 lies outside the sentence pair, which has 3 source "
                    "and 5 target words")));
  EXPECT_THROW(check_inside({{2, 5}}, 3, 5, "f", 7), DataError);
}

}  // namespace
}  // namespace attend::align
