#include "train/update/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attend::train {
namespace {

TrainingOptions schedule_options_of(ScheduleKind schedule) {
  TrainingOptions options;
  options.learning_rate = 0.4;
  options.schedule = schedule;
  options.decay.factor = 0.5;
  return options;
}

TEST(Constant, KeepsTheRate) {
  EXPECT_DOUBLE_EQ(
      learning_rate(schedule_options_of(ScheduleKind::constant), {1'000'000, 500.0, 9}), 0.4);
}

TEST(Warmup, RisesLinearlyFromTheFirstUpdate) {
  TrainingOptions options = schedule_options_of(ScheduleKind::constant);
  options.warmup_updates = 8;
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 0.0, 0}), 0.4 / 8);
  EXPECT_DOUBLE_EQ(learning_rate(options, {6, 0.0, 0}), 0.4 * 6 / 8);
  EXPECT_DOUBLE_EQ(learning_rate(options, {8, 0.0, 0}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {9, 0.0, 0}), 0.4);
}

// Vaswani et al. (2017), Eq. 3: proportional to min(u^-0.5, u warmup^-1.5), here with the peak 0.4.
TEST(InverseSqrt, FollowsVaswaniEquation3) {
  TrainingOptions options = schedule_options_of(ScheduleKind::inverse_sqrt);
  options.warmup_updates = 16;
  for (const int64_t update : {1, 9, 16, 17, 64, 1600}) {
    const auto u = static_cast<double>(update);
    const double expected = 0.4 * 4.0 * std::min(1.0 / std::sqrt(u), u * std::pow(16.0, -1.5));
    EXPECT_NEAR(learning_rate(options, {update, 0.0, 0}), expected, 1e-12) << update;
  }
}

TEST(Exponential, FallsByTheFactorEverySoManyUpdates) {
  TrainingOptions options = schedule_options_of(ScheduleKind::exponential);
  options.decay.start_updates = 100;
  options.decay.every_updates = 40;
  EXPECT_DOUBLE_EQ(learning_rate(options, {100, 0.0, 0}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {140, 0.0, 0}), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options, {160, 0.0, 0}), 0.2 * std::sqrt(0.5));
}

TEST(Plateau, FallsByTheFactorAtEveryCut) {
  EXPECT_DOUBLE_EQ(learning_rate(schedule_options_of(ScheduleKind::plateau), {1, 0.0, 0}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(schedule_options_of(ScheduleKind::plateau), {1, 0.0, 3}), 0.05);
}

// Loshchilov & Hutter (2017), Eq. 5, with a minimum rate of 0.
TEST(OneCycle, FallsAlongHalfACosineToTheEndOfTheRun) {
  TrainingOptions options = schedule_options_of(ScheduleKind::one_cycle);
  options.max_epochs = 0;
  options.max_updates = 130;
  options.warmup_updates = 10;
  EXPECT_DOUBLE_EQ(learning_rate(options, {5, 0.0, 0}), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options, {10, 0.0, 0}), 0.4);
  EXPECT_NEAR(learning_rate(options, {50, 0.0, 0}), 0.3, 1e-12);  // a third: cos 60 degrees is 1/2
  EXPECT_NEAR(learning_rate(options, {70, 0.0, 0}), 0.2, 1e-12);
  EXPECT_NEAR(learning_rate(options, {130, 0.0, 0}), 0.0, 1e-12);
}

TEST(OneCycle, EndsWithTheEpochsWhereTheseEndFirst) {
  TrainingOptions options = schedule_options_of(ScheduleKind::one_cycle);
  options.max_epochs = 6;
  EXPECT_NEAR(learning_rate(options, {77, 4.0, 0}), 0.1, 1e-12);  // two thirds
  options.max_updates = 1'000;
  EXPECT_NEAR(learning_rate(options, {77, 4.0, 0}), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate(options, {1'000, 4.0, 0}), 0.0, 1e-12);
}

TEST(OneCycle, FollowsTheClockWhereTimeIsTheNearestLimit) {
  TrainingOptions options = schedule_options_of(ScheduleKind::one_cycle);
  options.max_epochs = 6;
  options.max_minutes = 30.0;
  EXPECT_NEAR(learning_rate(options, {77, 2.0, 0, 20.0}), 0.1, 1e-12);  // two thirds of the time
  EXPECT_NEAR(learning_rate(options, {77, 4.0, 0, 10.0}), 0.1, 1e-12);  // two thirds of the epochs
  options.max_epochs = 0;
  EXPECT_NEAR(learning_rate(options, {77, 2.0, 0, 15.0}), 0.2, 1e-12);
  EXPECT_NEAR(learning_rate(options, {77, 2.0, 0, 31.0}), 0.0, 1e-12);
}

// Regression: in a run of 28 minutes the rate never reached half of learning_rate, since it fell by
// the clock during the warm-up.
TEST(OneCycle, FallsFromTheEndOfTheWarmupByTheClockAndEpochsTooAsByUpdates) {
  TrainingOptions by_updates = schedule_options_of(ScheduleKind::one_cycle);
  by_updates.max_epochs = 0;
  by_updates.warmup_updates = 50;
  TrainingOptions by_minutes = by_updates, by_epochs = by_updates;
  by_updates.max_updates = 100;
  by_minutes.max_minutes = 20.0;  // five updates per minute
  by_epochs.max_epochs = 10;      // ten updates per epoch
  for (const int64_t update : {1, 20, 50, 60, 75, 99, 100}) {
    const auto done = static_cast<double>(update);
    const double expected = learning_rate(by_updates, {update, 0.0, 0});
    EXPECT_NEAR(learning_rate(by_minutes, {update, 0.0, 0, done / 5.0}), expected, 1e-12);
    EXPECT_NEAR(learning_rate(by_epochs, {update, done / 10.0, 0}), expected, 1e-12);
  }
  EXPECT_DOUBLE_EQ(learning_rate(by_minutes, {50, 0.0, 0, 10.0}), 0.4);
}

// The machine makes 40 updates in max_minutes, but the warm-up takes 50.
TEST(OneCycle, FallsInTheLastQuarterWhereTheWarmupWouldTakeAll) {
  TrainingOptions options = schedule_options_of(ScheduleKind::one_cycle);
  options.max_epochs = 0;
  options.max_minutes = 8.0;
  options.warmup_updates = 50;
  EXPECT_NEAR(learning_rate(options, {30, 0.0, 0, 6.0}), 0.4 * 30 / 50, 1e-12);
  EXPECT_NEAR(learning_rate(options, {35, 0.0, 0, 7.0}), 0.4 * 35 / 50 / 2, 1e-12);
  EXPECT_NEAR(learning_rate(options, {40, 0.0, 0, 8.0}), 0.0, 1e-12);
}

// Luong, Pham & Manning (2015), Sec. 4.1: "after 5 epochs, we begin to halve the learning rate
// every epoch".
TEST(Halving, HalvesEveryEpochAfterTheFifth) {
  const TrainingOptions options = schedule_options_of(ScheduleKind::halving);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 4.99, 0}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 5.0, 0}), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 5.99, 0}), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 6.0, 0}), 0.1);
}

// Sutskever, Vinyals & Le (2014), Sec. 3.4: "after 5 epochs, we begun halving the learning rate
// every half epoch".
TEST(Halving, CanHalveEveryHalfEpoch) {
  TrainingOptions options = schedule_options_of(ScheduleKind::halving);
  options.decay.every_epochs = 0.5;
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 5.5, 0}), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 6.0, 0}), 0.05);
}

TEST(Minimum, BoundsTheDecayButNotTheWarmup) {
  TrainingOptions options = schedule_options_of(ScheduleKind::plateau);
  options.decay.minimum = 0.1;
  options.warmup_updates = 8;
  EXPECT_DOUBLE_EQ(learning_rate(options, {8, 0.0, 20}), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(options, {4, 0.0, 20}), 0.05);
}

TEST(Minimum, NeverRaisesTheRate) {
  TrainingOptions options = schedule_options_of(ScheduleKind::constant);
  options.decay.minimum = 7.0;
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 0.0, 0}), 0.4);
}

}  // namespace
}  // namespace attend::train
