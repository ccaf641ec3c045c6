#include "core/cores.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace attend {
namespace {

TEST(Cores, SiblingsShareACore) {
  const attend::test::TempDir dir;
  const auto set_siblings = [&](const std::string& cpu, const std::string& siblings) {
    std::filesystem::create_directories(dir / (cpu + "/topology"));
    dir.write(cpu + "/topology/thread_siblings_list", siblings + "\n");
  };
  set_siblings("cpu0", "0,2");
  set_siblings("cpu1", "1,3");
  set_siblings("cpu2", "0,2");
  set_siblings("cpu3", "1,3");
  EXPECT_EQ(count_physical_cores({0, 1, 2, 3}, dir.path()), 2);
  EXPECT_EQ(count_physical_cores({0, 2}, dir.path()), 1);
  EXPECT_EQ(count_physical_cores({2, 3}, dir.path()), 2);
}

TEST(Cores, ACpuOfUnknownTopologyCountsAsACore) {
  EXPECT_EQ(count_physical_cores({0, 1, 5}, "/no/such/folder"), 3);
}

TEST(Cores, ReadsTheLimitOfAControlGroup) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("200000 100000\n"), 2);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 2);  // a part of a core still needs a thread
  EXPECT_EQ(parse_cpu_max("50000 100000\n"), 1);
  EXPECT_EQ(parse_cpu_max("-1\n 100000\n"), std::nullopt);  // version 1, no limit
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
}

TEST(Cores, AreAtLeastOne) {
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace attend
