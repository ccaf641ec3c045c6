#include "core/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace attend {
namespace {

TEST(NumberIn, ReadsWholeTexts) {
  EXPECT_EQ(number_in<int64_t>("-12"), -12);
  EXPECT_EQ(number_in<int64_t>("0"), 0);
  EXPECT_EQ(number_in<int32_t>("2147483647"), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(number_in<double>("2.5e-1"), 0.25);
  EXPECT_EQ(number_in<double>(".5"), 0.5);
  EXPECT_EQ(number_in<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number_in<double>("nan").value()));
}

TEST(NumberIn, RefusesAllElse) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "--1", "1.0", "0x1"})
    EXPECT_FALSE(number_in<int64_t>(text)) << text;
  for (const char* text : {"", " 1", "1,5", "1e", "1e999"})
    EXPECT_FALSE(number_in<double>(text)) << text;
}

TEST(NumberIn, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(number_in<int32_t>("2147483648"));
  EXPECT_FALSE(number_in<uint32_t>("-1"));
  EXPECT_FALSE(number_in<int64_t>("9223372036854775808"));
}

}  // namespace
}  // namespace attend
