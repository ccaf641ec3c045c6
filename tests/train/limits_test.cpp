#include "train/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::train {
namespace {

using testing::HasSubstr;

TrainingOptions no_limits() {
  TrainingOptions options;
  options.max_epochs = 0;
  options.patience = 0;
  return options;
}

TEST(EndReason, IsEmptyWithoutLimits) {
  RunState state;
  state.update = 1'000'000;
  state.position.epoch = 1'000;
  state.seconds = 1e9;
  state.best.since = 1'000;
  EXPECT_EQ(end_reason(no_limits(), state), "");
}

TEST(EndReason, NamesTheLimitThatIsReached) {
  RunState state;
  state.update = 10;
  state.position.epoch = 3;
  state.seconds = 150.0;
  state.best.since = 4;
  TrainingOptions options = no_limits();
  options.max_updates = 10;
  EXPECT_EQ(end_reason(options, state), "max_updates 10 reached");
  options = no_limits();
  options.max_epochs = 3;
  EXPECT_EQ(end_reason(options, state), "max_epochs 3 reached");
  options = no_limits();
  options.max_minutes = 2.5;
  EXPECT_EQ(end_reason(options, state), "max_minutes 2.5 reached");
  options = no_limits();
  options.patience = 4;
  EXPECT_EQ(end_reason(options, state), "no new best in 4 validations");
}

TEST(EndReason, IsEmptyJustBeforeALimit) {
  RunState state;
  state.update = 9;
  state.position = {2, 100};
  state.seconds = 149.0;
  state.best.since = 3;
  TrainingOptions options;
  options.max_updates = 10;
  options.max_epochs = 3;
  options.max_minutes = 2.5;
  options.patience = 4;
  EXPECT_EQ(end_reason(options, state), "");
}

TEST(ShareDone, IsThatOfTheNearestLimit) {
  RunState state;
  state.update = 10;
  state.seconds = 30.0;
  TrainingOptions options = no_limits();
  EXPECT_DOUBLE_EQ(share_done(options, state, 1.5), 0.0);
  options.max_updates = 100;
  EXPECT_DOUBLE_EQ(share_done(options, state, 1.5), 0.1);
  options.max_epochs = 3;
  EXPECT_DOUBLE_EQ(share_done(options, state, 1.5), 0.5);
  options.max_minutes = 0.25;
  EXPECT_DOUBLE_EQ(share_done(options, state, 1.5), 1.0);
}

TEST(ValidationDue, ComesEverySoManyUpdates) {
  RunState state;
  state.position = {0, 7};
  state.update = 20;
  EXPECT_TRUE(validation_due({.updates = 10, .epochs = 0}, state));
  state.update = 21;
  EXPECT_FALSE(validation_due({.updates = 10, .epochs = 0}, state));
}

TEST(ValidationDue, ComesAtTheEndOfEverySoManyEpochs) {
  RunState state;
  state.update = 21;
  state.position = {2, 0};
  EXPECT_TRUE(validation_due({.updates = 0, .epochs = 2}, state));
  EXPECT_FALSE(validation_due({.updates = 0, .epochs = 3}, state));
  state.position = {2, 1};
  EXPECT_FALSE(validation_due({.updates = 0, .epochs = 2}, state));
  state.position = {2, 0, 0, 3};  // at the end of a pool of the pass
  EXPECT_FALSE(validation_due({.updates = 0, .epochs = 2}, state));
}

TEST(ValidationDue, ComesOnceForTheSameUpdate) {
  RunState state;
  state.update = 20;
  state.validated = 20;
  EXPECT_FALSE(validation_due({.updates = 10, .epochs = 1}, state));
}

TEST(ValidationDue, NeverComesBeforeTheFirstUpdate) {
  EXPECT_FALSE(validation_due({.updates = 10, .epochs = 1}, RunState()));
}

TEST(BestSoFar, TakesTheFirstAndThenOnlyBetterOnes) {
  BestSoFar best;
  EXPECT_TRUE(best.add({-3.0, 3.0}, 10, 5));
  EXPECT_FALSE(best.add({-3.0, 3.0}, 20, 5));
  EXPECT_TRUE(best.add({-2.5, 2.5}, 30, 5));
  EXPECT_EQ(best.merit.score, -2.5);
  EXPECT_EQ(best.update, 30);
  EXPECT_EQ(best.since, 0);
}

// Regression: while validation BLEU was 0, no validation was a new best, whatever the loss did, so
// the rate was cut and patience ended the run.
TEST(BestSoFar, TakesTheLowerLossOfEqualScores) {
  BestSoFar best;
  EXPECT_TRUE(best.add({0.0, 5.0}, 10, 1));
  EXPECT_TRUE(best.add({0.0, 4.0}, 20, 1));
  EXPECT_FALSE(best.add({0.0, 4.5}, 30, 2));
  EXPECT_TRUE(best.add({0.1, 9.0}, 40, 1)) << "the loss decides only between equal scores";
  EXPECT_FALSE(best.add({0.0, 1.0}, 50, 2));
  EXPECT_EQ(best.update, 40);
  EXPECT_EQ(best.since, 1);
  EXPECT_EQ(best.cuts, 0);
}

// With a plateau patience of 2 the rate is cut at the 2nd and 4th validation without a new best;
// the count for early stopping continues over them.
TEST(BestSoFar, CutsTheRateEverySoManyValidationsWithoutANewBest) {
  BestSoFar best;
  best.add({1.0, 3.0}, 0, 2);
  for (int64_t i = 1; i <= 5; ++i) best.add({0.5, 3.0}, i, 2);
  EXPECT_EQ(best.cuts, 2);
  EXPECT_EQ(best.since, 5);
  best.add({2.0, 3.0}, 6, 2);
  EXPECT_EQ(best.cuts, 2) << "a new best does not raise the rate again";
  EXPECT_EQ(best.since, 0);
}

}  // namespace
}  // namespace attend::train
