#include "core/fault_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FaultPointTest : public testing::Test {
 protected:
  ~FaultPointTest() override { plan_faults(""); }

  static std::vector<int> reach(const std::vector<std::string>& names) {
    std::vector<int> results;
    for (const std::string& name : names) results.push_back(fault_point(name));
    return results;
  }
};

TEST_F(FaultPointTest, NothingHappensWithoutAPlan) {
  EXPECT_THAT(reach({"a", "b", "c"}), ElementsAre(0, 0, 0));
}

TEST_F(FaultPointTest, FailsFromOnePointToAnother) {
  plan_faults("fail=2-3");
  EXPECT_THAT(reach({"a", "b", "c", "d"}), ElementsAre(0, ENOSPC, ENOSPC, 0));
  plan_faults("fail=2");
  EXPECT_THAT(reach({"a", "b", "c", "d"}), ElementsAre(0, ENOSPC, ENOSPC, ENOSPC));
}

TEST_F(FaultPointTest, CountsOnlyPointsWithMatchingNames) {
  plan_faults("fail=2-2,only=b");
  EXPECT_THAT(reach({"b", "a", "xby", "b"}), ElementsAre(0, 0, ENOSPC, 0));
}

TEST_F(FaultPointTest, CountsOnlyAfterAPoint) {
  plan_faults("fail=1-1,after=start");
  EXPECT_THAT(reach({"a", "the start", "a", "a"}), ElementsAre(0, 0, ENOSPC, 0));
}

TEST_F(FaultPointTest, KillsTheProcess) {
  const auto die = [] {
    plan_faults("kill=2");
    mark_point("a");
    mark_point("b");
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGKILL), "");
}

TEST_F(FaultPointTest, TracesNamesOfPointsAndFiles) {
  const test::TempDir dir;
  plan_faults("trace=" + (dir / "trace").string());
  static_cast<void>(fault_point("rename", "/some/where/last.state"));
  mark_point("saved");
  EXPECT_EQ(test::read_text(dir / "trace"), "rename last.state\nsaved\n");
}

TEST_F(FaultPointTest, RejectsAnInvalidPlan) {
  for (const char* plan : {"kill", "kill=0", "kill=x", "fail=3-", "stop=1", "kill=1,", "only="}) {
    EXPECT_THAT([&] { plan_faults(plan); }, ThrowsMessage<UsageError>(HasSubstr("ATTEND_FAULTS")))
        << plan;
  }
}

}  // namespace
}  // namespace attend
