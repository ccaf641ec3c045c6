#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys_of.h"
#include "core/error.h"
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
  EXPECT_NO_THROW((void)load<Needy>(dir_.write("c.yaml", ""), {}, Purpose::show));
  EXPECT_THAT([&] { (void)load<Needy>(dir_.write("c.yaml", "even: 1"), {}, Purpose::show); },
              testing::ThrowsMessage<std::exception>(HasSubstr("is odd")));
}

enum class IdleKind { deep, plain, wide };

constexpr auto name_table(IdleKind) {
  return std::to_array<NamedValue<IdleKind>>(
      {{IdleKind::deep, "deep"}, {IdleKind::plain, "plain"}, {IdleKind::wide, "wide"}});
}

struct Idle {
  IdleKind kind = IdleKind::plain;
  int64_t size = 3;
  int64_t odd = 1;
};
void describe(Schema<Idle>& schema) {
  schema.choice("kind", &Idle::kind, "");
  schema.integer("size", &Idle::size, any(), "");
  schema.integer("odd", &Idle::odd, any(), "");
  KeysOf(schema, "kind", &Idle::kind).add("size", &Idle::size, {IdleKind::deep, IdleKind::wide});
  schema.rule({"odd"}, [](const Idle& options) -> std::string {
    return options.odd % 2 == 1 ? "" : "is even";
  });
}

TEST_F(RuleTest, AKeyThatTheChoiceDoesNotReadIsRefused) {
  EXPECT_THAT([&] { (void)load<Idle>(dir_.write("c.yaml", "size: 4")); },
              testing::ThrowsMessage<std::exception>(testing::AllOf(
                  HasSubstr("c.yaml:1:"),
                  HasSubstr("size is a setting of kind deep or wide and would have no effect with "
                            "kind plain; leave it out, or choose kind: deep"),
                  HasSubstr("size: 4"))));
  EXPECT_THROW((void)load<Idle>(dir_.write("c.yaml", "size: 4"), {}, Purpose::show), ConfigError);
  EXPECT_EQ(load<Idle>(dir_.write("c.yaml", "{size: 4, kind: wide}")).size, 4);
  EXPECT_EQ(load<Idle>(dir_.write("c.yaml", "size: 3")).size, 3) << "its default";
}

TEST_F(RuleTest, AConfigChangesItsBasisAndSettlesBeforeTheRules) {
  const auto file = dir_.write("c.yaml", "odd: 5");
  Basis<Idle> basis{{.kind = IdleKind::wide, .size = 4}};
  const auto loaded = load<Idle>(file, {}, Purpose::train, basis);
  EXPECT_EQ(loaded.options.size, 4);
  EXPECT_EQ(loaded.options.odd, 5);
  EXPECT_FALSE(loaded.set_at.contains("size"));
  basis.settle = [](Idle& options, Reading& reading) {
    options.odd = 2;
    reading.problems.add({reading.set_at.at("odd"), "odd", "is not welcome", ""});
  };
  EXPECT_THAT([&] { (void)load<Idle>(file, {}, Purpose::train, basis); },
              testing::ThrowsMessage<std::exception>(
                  testing::AllOf(HasSubstr("is not welcome"), testing::Not(HasSubstr("is even")))))
      << "rules are not checked of keys with a problem";
}

TEST_F(RuleTest, ATrainedModelMayHaveKeysWithoutAnEffectAlone) {
  EXPECT_EQ(load_trained<Idle>(dir_.write("c.yaml", "size: 4")).size, 4);
  EXPECT_THAT([&] { (void)load_trained<Idle>(dir_.write("c.yaml", "odd: 2")); },
              testing::ThrowsMessage<std::exception>(HasSubstr("is even")));
}

}  // namespace
}  // namespace attend::config
