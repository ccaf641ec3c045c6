#include "app/run/training_process.h"

#include <gtest/gtest.h>

#include "core/cores.h"

namespace attend::app {
namespace {

TEST(ThreadsOfProcess, AreAnEqualShareOfThoseGivenForAll) {
  const distributed::Place place{.size = 4, .local_size = 4};
  EXPECT_EQ(threads_of_process(8, /*shared=*/true, place), 2);
  EXPECT_EQ(threads_of_process(3, /*shared=*/true, place), 1);
  EXPECT_EQ(threads_of_process(8, /*shared=*/false, place), 8);
}

TEST(ThreadsOfProcess, AreThoseOfTheLauncherOrAShareOfTheCoresByDefault) {
  EXPECT_EQ(threads_of_process(0, /*shared=*/false, {.size = 2, .threads = 3}), 3);
  EXPECT_EQ(threads_of_process(0, /*shared=*/false, {.size = 2}), usable_cores());
}

}  // namespace
}  // namespace attend::app
