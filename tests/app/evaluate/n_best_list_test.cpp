#include "app/evaluate/n_best_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(NBestList, HasTheTranslationsOfEachLine) {
  const TempDir dir;
  const auto lists =
      read_n_best(dir.write("n", "0 ||| a b ||| -0.5\n0 ||| a ||| -1e-1\n1 |||  ||| 0.000000\n"));
  ASSERT_EQ(lists.lists.size(), 2U);
  EXPECT_EQ(lists.entries(), 3U);
  EXPECT_EQ(lists.lists[0][1].text, "a");
  EXPECT_DOUBLE_EQ(lists.lists[0][1].score, -0.1);
  EXPECT_EQ(lists.lists[1][0].text, "");
}

TEST(NBestList, LeavesBarsInTheTextAlone) {
  const TempDir dir;
  EXPECT_EQ(read_n_best(dir.write("n", "0 ||| a ||| b ||| -1\n")).lists[0][0].text, "a ||| b");
}

TEST(NBestList, NamesAMalformedLine) {
  const TempDir dir;
  for (const char* line :
       {"a b", "0 ||| a", "x ||| a ||| -1", "0 ||| a ||| nan", "0 ||| a ||| -1x", "0 ||| -1"}) {
    const auto file = dir.write("n", "0 ||| a ||| -1\n" + std::string(line) + "\n");
    EXPECT_THAT([&] { (void)read_n_best(file); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("n:2: \""), HasSubstr(line),
                                               HasSubstr("id ||| text ||| score"))));
  }
}

TEST(NBestList, HasNoGapsBetweenIds) {
  const TempDir dir;
  const auto gap = dir.write("gap", "0 ||| a ||| -1\n2 ||| b ||| -1\n");
  EXPECT_THAT([&] { (void)read_n_best(gap); },
              ThrowsMessage<DataError>(HasSubstr("gap:2: id 2 after 0")));
  const auto back = dir.write("back", "0 ||| a ||| -1\n1 ||| b ||| -1\n0 ||| b ||| -1\n");
  EXPECT_THAT([&] { (void)read_n_best(back); },
              ThrowsMessage<DataError>(HasSubstr("back:3: id 0 after 1")));
  EXPECT_THAT([&] { (void)read_n_best(dir.write("empty", "")); },
              ThrowsMessage<DataError>(HasSubstr("has no lines")));
}

TEST(NBestList, TakesAScoreForEachOfItsLines) {
  const TempDir dir;
  const auto lists = read_n_best(dir.write("n", "0 ||| a ||| -1\n0 ||| b ||| -2\n"));
  EXPECT_THAT(read_scores(dir.write("s", "-7\n8.5\n"), lists), testing::ElementsAre(-7.0, 8.5));
  EXPECT_THAT([&] { (void)read_scores(dir.write("few", "-7\n"), lists); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("2 lines"), HasSubstr("1;"))));
  EXPECT_THAT([&] { (void)read_scores(dir.write("bad", "-7\n-inf\n"), lists); },
              ThrowsMessage<DataError>(HasSubstr("bad:2: \"-inf\" is not a finite number")));
}

}  // namespace
}  // namespace attend::app
