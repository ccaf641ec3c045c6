#include "app/run/training_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cores.h"
#include "core/error.h"

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

distributed::Place local_place(int64_t rank, int64_t size) {
  return {.rank = rank, .size = size, .local_rank = rank, .local_size = size};
}

distributed::Place started_by_ranks(int64_t rank, int64_t size) {
  distributed::Place place = local_place(rank, size);
  place.connections = {7, 8};
  return place;
}

TEST(DeviceOfProcess, IsTheGpuOfTheLocalRank) {
  EXPECT_EQ(device_of_process("cuda", local_place(1, 2), /*gpus=*/2), "cuda:1");
  EXPECT_EQ(device_of_process("auto", started_by_ranks(1, 2), /*gpus=*/4), "cuda:1");
  // Two machines.
  const distributed::Place place{.rank = 3, .size = 4, .local_rank = 1, .local_size = 2};
  EXPECT_EQ(device_of_process("cuda", place, /*gpus=*/2), "cuda:1");
}

TEST(DeviceOfProcess, IsAsGivenIfTheRunIsAloneOrTheDeviceSaysWhich) {
  EXPECT_EQ(device_of_process("cuda", {}, /*gpus=*/2), "cuda");
  EXPECT_EQ(device_of_process("auto", {}, /*gpus=*/2), "auto");
  EXPECT_EQ(device_of_process("cpu", local_place(1, 2), /*gpus=*/2), "cpu");
  EXPECT_EQ(device_of_process("cuda:3", local_place(1, 2), /*gpus=*/4), "cuda:3");
}

TEST(DeviceOfProcess, IsTheCpuWithoutAGpuUnlessOneIsRequired) {
  EXPECT_EQ(device_of_process("auto", local_place(1, 2), /*gpus=*/0), "auto");
  EXPECT_EQ(device_of_process("cuda", local_place(1, 2), /*gpus=*/0), "cuda");  // refused later
}

TEST(DeviceOfProcess, IsTheOnlyGpuThatTheLauncherShows) {
  EXPECT_EQ(device_of_process("cuda", local_place(1, 2), /*gpus=*/1), "cuda:0");
}

TEST(DeviceOfProcess, NeedsAGpuForEachProcess) {
  EXPECT_THAT([] { (void)device_of_process("cuda", local_place(1, 4), /*gpus=*/2); },
              testing::ThrowsMessage<UsageError>(
                  testing::AllOf(testing::HasSubstr("4 processes on this machine need a GPU each"),
                                 testing::HasSubstr("it has 2; start 2 processes"))));
  EXPECT_THAT(
      [] { (void)device_of_process("auto", started_by_ranks(1, 2), /*gpus=*/1); },
      testing::ThrowsMessage<UsageError>(testing::HasSubstr("it has 1; start one process")));
  // Slurm does not say how many processes this machine has.
  EXPECT_THROW((void)device_of_process("cuda", {.size = 8, .local_rank = 2}, /*gpus=*/2),
               UsageError);
}

}  // namespace
}  // namespace attend::app
