#include "app/lines/line_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"

namespace attend::app {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

LineShard parse(const std::string& text, const std::map<std::string, std::string>& given = {}) {
  return parse_shard(text, [&](const char* name) -> const char* {
    const auto found = given.find(name);
    return found == given.end() ? nullptr : found->second.c_str();
  });
}

TEST(LineShard, CountsFromOneAsTextAndFromZeroInside) {
  const LineShard shard = parse("2/3");
  EXPECT_EQ(shard.index, 1);
  EXPECT_EQ(shard.count, 3);
  EXPECT_EQ(shard.name(), "2/3");
  EXPECT_FALSE(shard.has(0));
  EXPECT_TRUE(shard.has(1));
  EXPECT_TRUE(shard.has(4));
}

TEST(LineShard, IsRefusedOutOfRange) {
  for (const char* text : {"0/3", "4/3", "3", "1/", "/3", "a/b", "1/3x", "-1/3", ""})
    EXPECT_THAT([&] { (void)parse(text); }, ThrowsMessage<UsageError>(HasSubstr("1/4"))) << text;
}

TEST(LineShard, FollowsTheLauncherOnRequest) {
  EXPECT_EQ(parse("env", {{"RANK", "0"}, {"WORLD_SIZE", "4"}}).name(), "1/4");
  EXPECT_EQ(parse("env", {{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}).name(), "4/4");
  EXPECT_EQ(parse("env", {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).name(),
            "2/2");
}

TEST(LineShard, ReportsMissingEnvironmentVariables) {
  EXPECT_THAT([] { (void)parse("env"); }, ThrowsMessage<UsageError>(HasSubstr("WORLD_SIZE")));
  EXPECT_THAT(
      [] {
        (void)parse("env", {{"RANK", "4"}, {"WORLD_SIZE", "4"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("RANK is \"4\"")));
}

}  // namespace
}  // namespace attend::app
