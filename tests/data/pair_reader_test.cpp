#include "data/pair_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void read_all(const PairFiles& files) {
  PairReader reader(files);
  while (reader.next()) {
  }
}

TEST(PairReader, ReadsTwoFilesSideBySide) {
  const test::TempDir folder;
  PairReader reader(test::write_pairs(folder, "x", "a\n\nc\n", "A\r\nB\nC"));
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->source, "a");
  EXPECT_EQ(first->target, "A");
  EXPECT_EQ(reader.next()->target, "B");
  EXPECT_EQ(reader.next()->source, "c");
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_FALSE(reader.next().has_value());
}

TEST(PairReader, NamesBothFilesAndCountsWhereTheyDiffer) {
  const test::TempDir folder;
  EXPECT_THAT([&] { read_all(test::write_pairs(folder, "x", "a\nb\nc\nd\n", "A\nB\n")); },
              ThrowsMessage<DataError>(
                  AllOf(HasSubstr("x.source has 4 lines"), HasSubstr("x.target has 2"))));
  EXPECT_THAT([&] { read_all(test::write_pairs(folder, "y", "a\n", "A\nB\nC\n")); },
              ThrowsMessage<DataError>(
                  AllOf(HasSubstr("y.source has 1 line"), HasSubstr("y.target has 3"))));
}

TEST(PairReader, NamesAMissingFile) {
  const test::TempDir folder;
  auto files = test::write_pairs(folder, "x", "a\n", "A\n");
  files.target += ".gone";
  EXPECT_THAT([&] { read_all(files); }, ThrowsMessage<DataError>(HasSubstr("x.target.gone")));
}

}  // namespace
}  // namespace attend::data
