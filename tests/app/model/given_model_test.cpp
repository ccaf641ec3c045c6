#include "app/model/given_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(GivenModel, MayHaveAWeight) {
  const auto models = parse_models({"runs/a:0.7", "b:c:2"});
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].directory, "runs/a");
  EXPECT_EQ(models[0].weight, 0.7);
  EXPECT_EQ(models[1].directory, "b:c");
  EXPECT_EQ(models[1].weight, 2.0);
}

TEST(GivenModel, WithoutAWeightIsAFolder) {
  const auto models = parse_models({"runs/a", "runs/b:c", "runs/b:"});
  EXPECT_EQ(models[1].directory, "runs/b:c");
  EXPECT_EQ(models[2].directory, "runs/b:");
  for (const GivenModel& model : models) EXPECT_EQ(model.weight, 1.0);
}

TEST(GivenModel, ThatExistsUnderTheWholeNameHasNoWeight) {
  const attend::test::TempDir dir;
  const std::string name = (dir / "a:0.5").string();
  std::filesystem::create_directory(name);
  EXPECT_EQ(parse_models({name}).front().directory, name);
  EXPECT_EQ(parse_models({name + ":3", "b:1"}).front().weight, 3.0);
}

TEST(GivenModel, WithAWeightThatIsNotPositiveIsRefused) {
  for (const char* given : {"a:0", "a:-1", "a:nan", "a:inf"})
    EXPECT_THAT(
        [&] {
          (void)parse_models({given, "b:1"});
        },
        ThrowsMessage<UsageError>(AllOf(HasSubstr(std::string("model ") + given),
                                        HasSubstr("must be a positive number"))));
}

TEST(GivenModel, AloneWithoutAWeightIsNamed) {
  EXPECT_THAT(
      [] {
        (void)parse_models({"a:1", "b", "c:1"});
      },
      ThrowsMessage<UsageError>(
          HasSubstr("model c:1 has a weight, but model b has none; give every model")));
}

TEST(GivenModel, OfASingleModelHasNoWeight) {
  EXPECT_THAT([] { (void)parse_models({"a:1"}); },
              ThrowsMessage<UsageError>(HasSubstr("a single model would have no effect")));
}

}  // namespace
}  // namespace attend::app
