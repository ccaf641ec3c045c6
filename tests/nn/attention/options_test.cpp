#include "nn/attention/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::nn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

AttentionOptions load(const std::string& yaml) {
  const test::TempDir folder;
  return config::load<AttentionOptions>(folder.write("attention.yaml", yaml));
}

TEST(AttentionOptions, AreReadByName) {
  const auto options = load("{score: concat, size: 7, temperature: 0.5}");
  EXPECT_EQ(options.score, "concat");
  EXPECT_EQ(options.size, 7);
  EXPECT_EQ(options.temperature, 0.5);
}

TEST(AttentionOptions, SuggestTheNearestScore) {
  EXPECT_THAT([] { static_cast<void>(load("score: genral")); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean \"general\"?")));
}

TEST(AttentionOptions, AskLocationForItsMaximum) {
  EXPECT_THAT(
      [] { static_cast<void>(load("score: location")); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("location has one weight row per source position"),
                                       HasSubstr("set max_source_length"))));
  EXPECT_EQ(load("{score: location, max_source_length: 9}").max_source_length, 9);
}

TEST(AttentionOptions, RefuseATemperatureThatIsNotPositive) {
  EXPECT_THAT([] { static_cast<void>(load("temperature: 0")); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("temperature"), HasSubstr("above 0"))));
}

}  // namespace
}  // namespace attend::nn
