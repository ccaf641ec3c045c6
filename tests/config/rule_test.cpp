#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/sample.h"

namespace attend::config {
namespace {

using sample::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RuleTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(RuleTest, NamesAllKeysWithValueAndOrigin) {
  EXPECT_EQ(error_of(dir_, "seed: 1\nmodel:\n  encoder: {residual: true}\n"),
            "config.yaml:3:13: error: model.encoder.layers, model.encoder.residual: residual "
            "connections need 2 layers or more\n"
            "  encoder: {residual: true}\n"
            "            ^\n"
            "  model.encoder.layers: 1 (default)\n"
            "  model.encoder.residual: true (config.yaml:3)");
}

TEST_F(RuleTest, SeesOverrides) {
  EXPECT_THAT(
      error_of(dir_, "model: {encoder: {layers: 3, residual: true}}", {"model.encoder.layers=1"}),
      HasSubstr("model.encoder.layers: 1 (--set model.encoder.layers=1)"));
  EXPECT_THAT(error_of(dir_, "model: {encoder: {residual: true}}", {"model.encoder.layers=2"}),
              IsEmpty());
}

TEST_F(RuleTest, WaitsUntilItsKeysAreRight) {
  EXPECT_THAT(error_of(dir_, "model: {encoder: {layers: x, residual: true}}"),
              Not(HasSubstr("residual connections")));
}

struct Needy {
  int64_t needed = 0;
  int64_t even = 0;
};
void describe(Schema<Needy>& schema) {
  schema.integer("needed", &Needy::needed, any(), "");
  schema.integer("even", &Needy::even, any(), "");
  schema.requirement({"needed"}, [](const Needy& options) -> std::string {
    return options.needed == 0 ? "must be given" : "";
  });
  schema.rule({"even"}, [](const Needy& options) -> std::string {
    return options.even % 2 == 0 ? "" : "is odd";
  });
}

TEST_F(RuleTest, IsReportedAtTheFileIfNoKeyIsSet) {
  const auto file = dir_.write("c.yaml", "");
  EXPECT_THAT([&] { (void)load<Needy>(file); },
              testing::ThrowsMessage<std::exception>(
                  HasSubstr("c.yaml: error: needed: must be given\n  needed: 0 (default)")));
}

TEST_F(RuleTest, WaitsUntilTheTextIsYaml) {
  const auto file = dir_.write("c.yaml", "needed: [1\n");
  EXPECT_THAT([&] { (void)load<Needy>(file); },
              testing::ThrowsMessage<std::exception>(
                  testing::AllOf(HasSubstr("not valid YAML"), Not(HasSubstr("must be given")))));
}

TEST_F(RuleTest, OnlyARunHasToMeetRequirements) {
  EXPECT_NO_THROW((void)load_to_show<Needy>(dir_.write("c.yaml", ""), {}));
  EXPECT_THAT([&] { (void)load_to_show<Needy>(dir_.write("c.yaml", "even: 1"), {}); },
              testing::ThrowsMessage<std::exception>(HasSubstr("is odd")));
}

}  // namespace
}  // namespace attend::config
