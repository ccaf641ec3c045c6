#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"

namespace attend::cli {
namespace {

using attend::test::TempDir;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;

TEST(Inspect, ReportsHowTheModelAttends) {
  const TempDir dir;
  const auto model = test::train_tiny_model(dir, "model", {});
  const auto source = dir.write("source", "a b c\na\n").string();
  const auto target = dir.write("target", "w x\ny\n").string();
  const auto ended =
      run_program({"inspect", model.string(), "--source", source, "--target", target});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("attention over 5 target pieces\n"),
                               HasSubstr("mean entropy"), HasSubstr("distance from the diagonal"),
                               HasSubstr("exact zeros                     0.00 %"),
                               HasSubstr("weight on the end symbol")));
}

TEST(Inspect, CountsTheZerosOfHardAttention) {
  const TempDir dir;
  const auto model = test::train_tiny_model(dir, "model", {"model.attention.distribution=hard"});
  const auto source = dir.write("source", "a b c\n").string();
  const auto target = dir.write("target", "w x\n").string();
  const auto ended =
      run_program({"inspect", model.string(), "--source", source, "--target", target});
  ASSERT_EQ(ended.code, 0) << ended.err;
  // One of four positions for each of three pieces.
  EXPECT_THAT(ended.out, AllOf(HasSubstr("mean entropy                  0.0000 nats"),
                               HasSubstr("exact zeros                    75.00 %")));
}

TEST(Inspect, NeedsBothSides) {
  const TempDir dir;
  const auto ended = run_program({"inspect", dir.write("x", "").string(), "--source", "s"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--target"));
}

TEST(Inspect, ReportsAModelWithoutAttention) {
  const TempDir dir;
  const auto model = test::train_tiny_model(dir, "model", {"model.decoder.wiring=none"});
  const auto file = dir.write("lines", "a\n").string();
  const auto ended = run_program({"inspect", model.string(), "--source", file, "--target", file});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("attention"));
}

}  // namespace
}  // namespace attend::cli
