#include "align/link_file.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::align {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

class LinkFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] LinkFile pharaoh(const std::string& content) const {
    return {dir_.write("links", content), LinkFormat::kPharaoh};
  }
  [[nodiscard]] LinkFile gold(const std::string& content) const {
    return {dir_.write("gold", content), LinkFormat::kGold};
  }

  test::TempDir dir_;
};

TEST_F(LinkFileTest, HasASetForEveryLine) {
  const LinkFile file = pharaoh("2-0 0-1  0-1\n\n3-4\n");
  ASSERT_EQ(file.size(), 3U);
  EXPECT_THAT(file.links(0), ElementsAre(Link{0, 1}, Link{2, 0}));
  EXPECT_THAT(file.links(1), IsEmpty());
  EXPECT_THAT(file.links(2), ElementsAre(Link{3, 4}));
  EXPECT_THROW((void)file.links(3), std::out_of_range);
}

TEST_F(LinkFileTest, ReadsFormattedLinks) {
  const Links links{{0, 0}, {7, 12}, {3, 1}};
  EXPECT_EQ(pharaoh(format_pharaoh(links) + "\n").links(0), links);
}

TEST_F(LinkFileTest, CountsSureLinksAsPossible) {
  const LinkFile file = gold("0-1 2p3\n\n");
  ASSERT_EQ(file.size(), 2U);
  EXPECT_THAT(file.gold(0).sure, ElementsAre(Link{0, 1}));
  EXPECT_THAT(file.gold(0).possible, ElementsAre(Link{0, 1}, Link{2, 3}));
  EXPECT_THAT(file.gold(1).possible, IsEmpty());
}

// A link listed both as sure and as possible is sure, in either order.
TEST_F(LinkFileTest, CountsALinkListedBothWaysAsSure) {
  EXPECT_THAT(gold("1p1 1-1\n").gold(0).sure, ElementsAre(Link{1, 1}));
  EXPECT_THAT(gold("1-1 1p1\n").gold(0).sure, ElementsAre(Link{1, 1}));
}

class MalformedLink : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedLink, IsNamedWithFileLineAndColumn) {
  const test::TempDir dir;
  const auto path = dir.write("links", "0-0\n1-1 " + GetParam() + " 2-2\n");
  const auto matches = ThrowsMessage<DataError>(
      AllOf(StartsWith(path.string() + ":2:5: "),
            HasSubstr("\"" + GetParam() + "\" is not a link; expected pairs")));
  EXPECT_THAT([&] { LinkFile(path, LinkFormat::kPharaoh); }, matches);
}

INSTANTIATE_TEST_SUITE_P(Pharaoh, MalformedLink,
                         ::testing::Values("3", "3-", "-3", "a-1", "1-b", "1--2", "-1-2", "1-2-3",
                                           "1_2", "1p2", "+1-2", "1.0-2", "99999999999-1", "1-2\t3",
                                           "\u0661-1"));

TEST_F(LinkFileTest, NamesAMalformedGoldLink) {
  const auto path = (dir_ / "gold").string();
  EXPECT_THAT(
      [&] { (void)gold("0-1\n0p0 0q1\n"); },
      ThrowsMessage<DataError>(AllOf(StartsWith(path + ":2:5: \"0q1\""),
                                     HasSubstr("0-2 for a sure link or 0p2 for a possible one"))));
}

// "é" takes two bytes.
TEST_F(LinkFileTest, CountsColumnsInCharacters) {
  EXPECT_THAT([&] { (void)pharaoh("\u00e9-0 0-0\n"); },
              ThrowsMessage<DataError>(HasSubstr(":1:1: \"\u00e9-0\"")));
  EXPECT_THAT([&] { (void)pharaoh("  0-0   x\n"); },
              ThrowsMessage<DataError>(HasSubstr(":1:9: \"x\"")));
}

TEST_F(LinkFileTest, ThrowsDataErrorForAMissingFile) {
  EXPECT_THROW(LinkFile("no/such/file", LinkFormat::kGold), DataError);
}

TEST_F(LinkFileTest, AcceptsLinksOfTheLastWords) {
  EXPECT_NO_THROW(pharaoh("0-0 2-4\n").check_inside(0, {.source = 3, .target = 5}));
}

TEST_F(LinkFileTest, NamesALinkPastTheSource) {
  const LinkFile file = pharaoh("\n0-0 3-4\n");
  EXPECT_THAT([&] { file.check_inside(1, {.source = 3, .target = 5}); },
              ThrowsMessage<DataError>(HasSubstr(
                  "links:2:5: link 3-4 lies outside the sentence pair: source position 3 of a "
                  "sentence of 3 words (positions start at 0)")));
}

TEST_F(LinkFileTest, NamesALinkPastTheTarget) {
  const LinkFile file = gold("0-0 0p1\n");
  EXPECT_THAT(
      [&] { file.check_inside(0, {.source = 3, .target = 1}); },
      ThrowsMessage<DataError>(HasSubstr("gold:1:5: link 0-1 lies outside the sentence pair: "
                                         "target position 1 of a sentence of 1 word (")));
}

TEST(LinkReaderTest, ReadsTheFileLineByLine) {
  const test::TempDir dir;
  LinkReader reader(dir.write("links", "2-0\n\n0-1\n"), LinkFormat::kPharaoh);
  EXPECT_THAT(reader.next()->links(), ElementsAre(Link{2, 0}));
  EXPECT_THAT(reader.next()->links(), IsEmpty());
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_THAT(reader.next()->links(), ElementsAre(Link{0, 1}));
  EXPECT_FALSE(reader.next().has_value());
}

}  // namespace
}  // namespace attend::align
