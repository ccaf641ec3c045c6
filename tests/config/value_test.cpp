#include "config/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using sample::load_text;
using ::testing::HasSubstr;

class ValueTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(ValueTest, OnlyTrueAndFalseAreFlags) {
  EXPECT_TRUE(
      load_text(dir_, "model: {encoder: {layers: 2, residual: True}}").model.encoder.residual);
  EXPECT_THAT(error_of(dir_, "model: {encoder: {residual: yes}}"),
              HasSubstr("\"yes\" is neither true nor false; did you mean true?"));
  EXPECT_THAT(error_of(dir_, "model: {encoder: {residual: off}}"),
              HasSubstr("did you mean false?"));
  EXPECT_THAT(error_of(dir_, "model: {encoder: {residual: \"true\"}}"),
              HasSubstr("the text \"true\" is neither"));
}

TEST_F(ValueTest, WholeNumbersAreDecimal) {
  EXPECT_EQ(load_text(dir_, "seed: +12").seed, 12);
  EXPECT_EQ(load_text(dir_, "seed: 9223372036854775807").seed, 9223372036854775807);
  EXPECT_THAT(error_of(dir_, "seed: 010"),
              HasSubstr("010 has a leading zero, which some tools read as octal"));
  for (const char* text :
       {"0x10", "1.0", "1e3", "1_000", "one", "\"1\"", "null", "[1]", "{a: 1}", "1 2"}) {
    EXPECT_THAT(error_of(dir_, std::string("seed: ") + text), HasSubstr("is not a whole number"))
        << text;
  }
}

TEST_F(ValueTest, NumbersOutOfRangeSayWhatIsAllowed) {
  EXPECT_EQ(error_of(dir_, "model: {encoder: {layers: 17}}"),
            "config.yaml:1:27: error: model.encoder.layers: 17 is out of range\n"
            "model: {encoder: {layers: 17}}\n"
            "                          ^\n"
            "  expected: whole number, 1 to 16");
  EXPECT_THAT(error_of(dir_, "seed: 9223372036854775808"),
              HasSubstr("9223372036854775808 is out of range"));
  EXPECT_THAT(error_of(dir_, "rate: 1e999"), HasSubstr("1e999 is out of range"));
  EXPECT_THAT(error_of(dir_, "model: {dropout: 1.0}"), HasSubstr("expected: number, 0 to below 1"));
}

TEST_F(ValueTest, NumbersMayBeWrittenInEveryUsualWay) {
  EXPECT_EQ(load_text(dir_, "rate: 3").rate, 3.0);
  EXPECT_EQ(load_text(dir_, "rate: .5").rate, 0.5);
  EXPECT_EQ(load_text(dir_, "rate: +2.5E-3").rate, 0.0025);
  for (const char* text : {".inf", "nan", "inf", "-.inf", "1,5", "0.1x", "\"0.1\"", "null"}) {
    EXPECT_THAT(error_of(dir_, std::string("rate: ") + text), HasSubstr("is not a number")) << text;
  }
}

TEST_F(ValueTest, TextIsKeptAsItIsWritten) {
  EXPECT_EQ(load_text(dir_, "title: 007").title, "007");
  EXPECT_EQ(load_text(dir_, "title: no").title, "no");
  EXPECT_EQ(load_text(dir_, "title: null").title, "");
  EXPECT_EQ(load_text(dir_, "title: \"null\"").title, "null");
  EXPECT_THAT(error_of(dir_, "title: [a]"), HasSubstr("title: a list is not text"));
}

TEST_F(ValueTest, PathsAreTextOrLists) {
  EXPECT_THAT(error_of(dir_, "output: {a: b}"), HasSubstr("output: a section is not a path"));
  EXPECT_THAT(error_of(dir_, "pieces: [a, [b]]"), HasSubstr("pieces: a list is not a path"));
  EXPECT_THAT(error_of(dir_, "pieces: {a: b}"), HasSubstr("pieces: a section is not a path"));
  EXPECT_TRUE(load_text(dir_, "pieces: null").pieces.empty());
}

}  // namespace
}  // namespace attend::config
