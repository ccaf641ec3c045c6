#include "data/dev_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/data/toy_corpus.h"

namespace attend::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Dev : public ::testing::Test {
 protected:
  DevSet read(const std::string& source, const std::string& target, int64_t max_length = 100) {
    return read_dev_set(test::write_pairs(folder_, "dev", source, target), max_length,
                        {words_, words_});
  }

  test::TempDir folder_;
  text::Tokenizer words_ = test::word_tokenizer(folder_);
};

TEST_F(Dev, KeepsEveryLineAsItIs) {
  const DevSet dev = read("a  b\n\nc\n", "A\nb\n\n");
  EXPECT_EQ(dev.sources[0], (std::vector<std::string>{"a  b", "", "c"}));
  EXPECT_EQ(dev.reference, (std::vector<std::string>{"A", "b", ""}));
  ASSERT_EQ(dev.pairs.size(), 3);
  EXPECT_EQ(dev.pairs.source(0), words_.encode("a b"));
  EXPECT_EQ(dev.pairs.source_length(1), 0);
  EXPECT_EQ(dev.pairs.target(1), words_.encode("b"));
}

TEST_F(Dev, CutsLongSidesAndSaysSo) {
  ::testing::internal::CaptureStderr();
  const DevSet dev = read("a\na b c\nb\n", "a\nb\na b c d\n", 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("to data.max_length=2 pieces (first: line 2)"));
  EXPECT_EQ(dev.pairs.source(1), words_.encode("a b"));
  EXPECT_EQ(dev.pairs.target(2), words_.encode("a b"));
  EXPECT_EQ(dev.sources[0][1], "a b c");
}

TEST_F(Dev, HoldsAnyNumberOfSources) {
  ExampleFiles files(test::write_pairs(folder_, "dev", "a\nb c\n", "d\ne\n"));
  files.sources.push_back({"two", folder_.write("dev.two", "f g h\n\n").string()});
  const DevSet dev = read_dev_set(files, 2, {words_, words_});
  EXPECT_EQ(dev.sources[1], (std::vector<std::string>{"f g h", ""}));
  EXPECT_EQ(dev.pairs.source(0, 0), words_.encode("a"));
  EXPECT_EQ(dev.pairs.source(0, 1), words_.encode("f g"));
  EXPECT_EQ(dev.pairs.target(1), words_.encode("e"));
}

TEST_F(Dev, WarnsOfIllFormedText) {
  ::testing::internal::CaptureStderr();
  (void)read("a\n\xFF\n", "a\nb\n");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("dev.source: invalid UTF-8 in 1 line (first: line 2)"));
}

// "日本" in Shift_JIS (CP932): 93 FA 96 7B.
TEST_F(Dev, MustBeUtf8) {
  const std::string japanese = "\x93\xFA\x96{\n";
  EXPECT_THAT([&] { (void)read("a\nb\nc\n", "a\n" + japanese + japanese); },
              ThrowsMessage<DataError>(HasSubstr("2 of 3 lines are not UTF-8 (first: line 2)")));
}

TEST_F(Dev, MustNotBeEmpty) {
  EXPECT_THAT([&] { (void)read("", ""); },
              ThrowsMessage<DataError>(HasSubstr("dev.source: has no lines")));
}

}  // namespace
}  // namespace attend::data
