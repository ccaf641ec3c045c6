#include "app/run/disk_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ExpectedTokenBytes, FollowTheSizesOfAllFiles) {
  const test::TempDir folder;
  data::DataOptions options;
  options.train = {{folder.write("a", std::string(60, 'x')).string(),
                    folder.write("b", std::string(40, 'x')).string()},
                   {folder.write("c.gz", std::string(100, 'x')).string(),
                    folder.write("d", std::string(100, 'x')).string()}};
  EXPECT_DOUBLE_EQ(expected_token_bytes(options), 0.65 * (60 + 40 + 300 + 100));
}

TEST(CheckRoom, RefusesTooLittleRoom) {
  EXPECT_NO_THROW(check_room("x.tokens", 14e9, 7e9, "data.cache"));
  EXPECT_THAT([] { check_room("x.tokens", 14e9, 6.9e9, "data.cache"); },
              testing::ThrowsMessage<DataError>(AllOf(HasSubstr("x.tokens"), HasSubstr("14.0 GB"),
                                                      HasSubstr("6.9 GB are free"),
                                                      HasSubstr("data.cache"))));
}

// Regression: a run needed 410 MB, but only the token cache was announced.
TEST(ExpectedRunBytes, CountsStatesWeightsAndSnapshots) {
  train::TrainingOptions options;
  options.optimizer = train::OptimizerKind::sgd;
  EXPECT_EQ(expected_run_bytes(options, 10.0), 3 * 10.0 + 20.0);
  options.momentum = 0.9;
  EXPECT_EQ(expected_run_bytes(options, 10.0), 3 * 20.0 + 20.0);
  options.optimizer = train::OptimizerKind::adam;
  EXPECT_EQ(expected_run_bytes(options, 10.0), 3 * 30.0 + 20.0);
  options.ema = 0.999;
  EXPECT_EQ(expected_run_bytes(options, 10.0), 3 * 40.0 + 20.0);
  options.keep = {.last = 3, .best = 0};
  options.average = {.last = 2, .best = 4};
  EXPECT_EQ(expected_run_bytes(options, 10.0), 3 * 40.0 + 90.0);
}

TEST(CheckRoomForRun, RefusesTooLittleRoom) {
  EXPECT_NO_THROW(check_room_for_run("runs/a", 4e8, 4e8));
  EXPECT_THAT([] { check_room_for_run("runs/a", 4e8, 3e8); },
              testing::ThrowsMessage<DataError>(AllOf(HasSubstr("runs/a"), HasSubstr("400.0 MB"),
                                                      HasSubstr("300.0 MB are free"),
                                                      HasSubstr("output"))));
}

TEST(FreeBytes, AreThoseOfTheNearestExistingFolder) {
  const test::TempDir folder;
  EXPECT_GT(free_bytes(folder / "x"), 0.0);
  EXPECT_NEAR(free_bytes(folder / "no/such/x"), free_bytes(folder / "x"), 1e9);
}

}  // namespace
}  // namespace attend::app
