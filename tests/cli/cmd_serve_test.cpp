#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/tested_device.h"

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
  const std::string precision = attend::test::low_precision();
  const auto given =
      test::run_program({"serve", "--model", model, "--precision", precision, "--dry-run"});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_THAT(given.out, HasSubstr("precision: " + precision + "\n"));
}

// A service reads its models from one folder, without naming each.
TEST(CmdServe, ModelsTakesEveryModelOfAFolder) {
  const attend::test::TempDir dir;
  const auto none = test::run_program({"serve", "--models", dir.path().string(), "--dry-run"});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr(dir.path().string() + ": holds no model"));

  const std::filesystem::path model = test::train_tiny_model(dir, "en-de", {});
  std::filesystem::create_directory(dir / "models");
  std::filesystem::create_directory(dir / "models/no_model");
  for (const char* name : {"b", "a"})
    std::filesystem::create_directory_symlink(model, dir / ("models/" + std::string(name)));
  const auto ended =
      test::run_program({"serve", "--models", (dir / "models").string(), "--dry-run"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, testing::ContainsRegex("^model a: [^\n]*\nmodel b: [^\n]*\nprecision"));

  const auto missing = test::run_program({"serve", "--models", "/no/such", "--dry-run"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("/no/such: no such folder"));
}

}  // namespace
}  // namespace attend::cli
