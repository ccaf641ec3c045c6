#include "app/run/late_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::app {
namespace {

using testing::HasSubstr;

/// The log of two minutes with an update per second. Each update is `pace` epochs and the share
/// `share` of the run.
std::string log_of(train::ValidateEvery every, double pace, double share) {
  LateValidationWarning warning(every);
  testing::internal::CaptureStderr();
  for (int update = 1; update <= 120; ++update) {
    train::UpdateReport report;
    report.point = {update, pace * update, 1.0 * update, share * update};
    warning.on_update(report);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(LateValidation, WarnsOnceWithASolution) {
  // After 61 s, 1 - 61e-5 epochs remain at 1e-5 per second: 99,939 s.
  const std::string log = log_of({.updates = 0, .epochs = 1}, 1e-5, 1e-7);
  EXPECT_THAT(log, HasSubstr("about 28 hours away"));
  EXPECT_THAT(log, HasSubstr("about 3600"));
  EXPECT_EQ(log.find("hours away"), log.rfind("hours away"));
}

TEST(LateValidation, IsSilentIfUpdatesEpochsOrTheEndComeFirst) {
  EXPECT_EQ(log_of({.updates = 10'000, .epochs = 1}, 1e-5, 1e-7), "");
  EXPECT_EQ(log_of({.updates = 0, .epochs = 1}, 1e-4, 1e-7), "");
  EXPECT_EQ(log_of({.updates = 0, .epochs = 1}, 1e-5, 1e-4), "");
}

TEST(LateValidation, MayBeNever) {
  EXPECT_THAT(log_of({.updates = 0, .epochs = 0}, 1e-5, 0.0), HasSubstr("countless hours"));
}

}  // namespace
}  // namespace attend::app
