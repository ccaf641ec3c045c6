#include "core/error.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

int exit_code(const UserError& error) {
  return static_cast<int>(error.exit_code());
}

TEST(Error, HasTheExitCodeOfItsKind) {
  EXPECT_EQ(exit_code(UsageError("")), 2);
  EXPECT_EQ(exit_code(ConfigError("")), 2);
  EXPECT_EQ(exit_code(DataError("")), 3);
  EXPECT_EQ(exit_code(ModelFileError("m", "")), 3);
  EXPECT_EQ(exit_code(NumericError("")), 4);
  EXPECT_EQ(exit_code(Stopped(15, "")), 128 + 15);
}

TEST(Error, NamesFileAndLine) {
  EXPECT_STREQ(DataError("a.txt", "is empty").what(), "a.txt: is empty");
  EXPECT_STREQ(DataError("a.txt", 7, "is odd").what(), "a.txt:7: is odd");
  EXPECT_STREQ(DataError("-", 7, "is odd").what(), "standard input:7: is odd");
  EXPECT_STREQ(ModelFileError("m/best", "is damaged").what(), "m/best: is damaged");
}

}  // namespace
}  // namespace attend
