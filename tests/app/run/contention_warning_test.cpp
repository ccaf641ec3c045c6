#include "app/run/contention_warning.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace attend::app {
namespace {

/// The log of a run of one minute whose training thread got `share` of the CPU time.
std::string log_of_run(double share, int64_t threads = 2) {
  double cpu = 100.0;  // used before the run
  ContentionWarning warning(threads, [&] { return cpu; });
  testing::internal::CaptureStderr();
  for (int second = 0; second < 60; ++second) {
    train::UpdateReport report;
    report.point.seconds = second;
    warning.on_update(report);
    cpu += share;
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ContentionWarning, WarnsOnceAboutOtherPrograms) {
  const std::string log = log_of_run(0.43);
  const auto found = log.find("training gets 43 % of its CPU time");
  ASSERT_NE(found, std::string::npos) << log;
  EXPECT_EQ(log.find("training gets", found + 1), std::string::npos) << log;
}

TEST(ContentionWarning, AdvisesFewerThreadsIfThereAreSeveral) {
  EXPECT_NE(log_of_run(0.43, 2).find(". Try "), std::string::npos);
  EXPECT_EQ(log_of_run(0.43, 1).find(". Try "), std::string::npos);
}

TEST(ContentionWarning, IsSilentIfTheRunIsAlone) {
  EXPECT_EQ(log_of_run(0.95), "");
}

TEST(ThreadCpuSeconds, DoNotAdvanceInSleep) {
  const double before = thread_cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(thread_cpu_seconds() - before, 0.1);
  volatile double sum = 0.0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  EXPECT_GT(thread_cpu_seconds(), before);
}

}  // namespace
}  // namespace attend::app
