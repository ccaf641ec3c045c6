#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"

namespace attend::cli {
namespace {

using testing::HasSubstr;

// Regression: a server with the model's precision printed "precision: none".
TEST(CmdServe, DryRunReportsThePrecision) {
  const attend::test::TempDir dir;
  const std::string model = test::train_tiny_model(dir, "model", {}).string();
  const auto plain = test::run_program({"serve", "--model", model, "--dry-run"});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("precision: the model's\n"));
  const auto given =
      test::run_program({"serve", "--model", model, "--precision", "int8", "--dry-run"});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_THAT(given.out, HasSubstr("precision: int8\n"));
}

}  // namespace
}  // namespace attend::cli
