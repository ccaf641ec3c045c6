#include "distributed/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"

namespace attend::distributed {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Variables = std::map<std::string, std::string>;

Place place_of(const Variables& variables) {
  return find_place([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

const Variables kTorchrun = {{"RANK", "5"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "4"},
                             {"MASTER_ADDR", "node7"},
                             {"MASTER_PORT", "29511"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

void expect_refused(const Variables& variables, const std::string& message) {
  EXPECT_THAT([&] { (void)place_of(variables); }, ThrowsMessage<UsageError>(HasSubstr(message)));
}

TEST(FindPlace, IsOneProcessWithoutALauncher) {
  const Place place = place_of({{"PATH", "/bin"}, {"MASTER_ADDR", "left over"}});
  EXPECT_TRUE(place.alone());
  EXPECT_EQ(place.launcher, "");
}

TEST(FindPlace, ReadsTorchrunAndLeavesListeningToItsAgent) {
  const Place place = place_of(kTorchrun);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 4);
  EXPECT_EQ(place.address, "node7");
  EXPECT_EQ(place.port, 29511);
  EXPECT_TRUE(place.meets_launcher);
  EXPECT_EQ(place.prefix, "/worker/attempt_2");
  EXPECT_FALSE(place.one_machine);
}

TEST(FindPlace, MeetsTheFirstProcessIfNoAgentHostsTheStore) {
  EXPECT_FALSE(place_of(without(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE")).meets_launcher);
  EXPECT_FALSE(place_of(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "False")).meets_launcher);
}

TEST(FindPlace, NeedsNoAddressIfConnectionsAreInherited) {
  auto variables = without(kTorchrun, "MASTER_ADDR");
  variables.erase("MASTER_PORT");
  const Place place = place_of(with(variables, "ATTEND_MEETING_POINT", "7,12"));
  EXPECT_THAT(place.connections, testing::ElementsAre(7, 12));
  EXPECT_EQ(place.address, "");
  for (const char* list : {"7,x", "7,,8", "-1", ""})
    EXPECT_THROW((void)place_of(with(variables, "ATTEND_MEETING_POINT", list)), UsageError) << list;
}

TEST(FindPlace, NeedsNoAddressForOneProcessOfTorchrun) {
  EXPECT_TRUE(place_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).alone());
}

TEST(FindPlace, RefusesIncompleteVariablesOfTorchrun) {
  expect_refused(without(kTorchrun, "RANK"), "RANK is not set");
  expect_refused(without(kTorchrun, "WORLD_SIZE"), "WORLD_SIZE is not set");
  expect_refused(without(kTorchrun, "MASTER_ADDR"), "MASTER_ADDR is not set");
  expect_refused(without(kTorchrun, "MASTER_PORT"), "MASTER_PORT is not set");
}

TEST(FindPlace, RefusesContradictoryVariables) {
  expect_refused(with(kTorchrun, "RANK", "8"), "RANK is 8, and WORLD_SIZE is 8");
  expect_refused(with(kTorchrun, "LOCAL_RANK", "4"), "LOCAL_RANK is 4, and LOCAL_WORLD_SIZE is 4");
  expect_refused(with(kTorchrun, "LOCAL_WORLD_SIZE", "9"),
                 "LOCAL_WORLD_SIZE is 9, and WORLD_SIZE is 8");
}

TEST(FindPlace, RefusesValuesThatAreNotNumbers) {
  expect_refused(with(kTorchrun, "RANK", "five"), "RANK is \"five\"");
  expect_refused(with(kTorchrun, "RANK", "-1"), "RANK is \"-1\"");
  expect_refused(with(kTorchrun, "MASTER_PORT", "70000"), "MASTER_PORT is \"70000\"");
}

const Variables kSlurm = {{"SLURM_PROCID", "3"},
                          {"SLURM_STEP_NUM_TASKS", "4"},
                          {"SLURM_NTASKS", "16"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_STEP_ID", "2"},
                          {"SLURM_JOB_ID", "100"},
                          {"SLURM_STEP_NUM_NODES", "2"},
                          {"SLURM_STEP_NODELIST", "gpu[07-09,12]"},
                          {"SLURM_JOB_NODELIST", "gpu[01-12]"}};

TEST(FindPlace, ReadsTheStepOfSlurmAndNotTheWholeJob) {
  const Place place = place_of(kSlurm);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "gpu07");
  EXPECT_EQ(place.port, 20000 + 100 * 16 + 2);
  EXPECT_EQ(place.threads, 1);
  EXPECT_FALSE(place.meets_launcher);
  EXPECT_FALSE(place.one_machine);
}

TEST(FindPlace, ReadsTheJobIfSlurmNamesNoStep) {
  Variables variables = without(without(kSlurm, "SLURM_STEP_NUM_TASKS"), "SLURM_STEP_NODELIST");
  variables = with(variables, "SLURM_CPUS_PER_TASK", "6");
  const Place place = place_of(variables);
  EXPECT_EQ(place.size, 16);
  EXPECT_EQ(place.address, "gpu01");
  EXPECT_EQ(place.threads, 6);
}

TEST(FindPlace, IsOneProcessInABatchScriptOfSlurmWithoutSrun) {
  EXPECT_TRUE(
      place_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "7"}}).alone());
}

TEST(FindPlace, PrefersTorchrunOverSlurm) {
  Variables both = kSlurm;
  both.insert(kTorchrun.begin(), kTorchrun.end());
  EXPECT_EQ(place_of(both).rank, 5);
}

TEST(FindPlace, RefusesIncompleteVariablesOfSlurm) {
  expect_refused(without(without(kSlurm, "SLURM_STEP_NODELIST"), "SLURM_JOB_NODELIST"),
                 "SLURM_JOB_NODELIST is not set");
  expect_refused(without(without(kSlurm, "SLURM_STEP_NUM_TASKS"), "SLURM_NTASKS"),
                 "SLURM_NTASKS is not set");
}

TEST(FindPlace, ReadsOpenMpiOnOneMachineWithoutAnAddress) {
  const Variables local = {{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const Place place = place_of(local);
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.address, "127.0.0.1");
  EXPECT_TRUE(place.one_machine);
  expect_refused(with(local, "OMPI_COMM_WORLD_SIZE", "4"), "MASTER_ADDR is not set");
  EXPECT_EQ(place_of(with(with(local, "OMPI_COMM_WORLD_SIZE", "4"), "MASTER_ADDR", "head")).address,
            "head");
}

TEST(FirstHost, KeepsZerosAndTheTextAroundBrackets) {
  EXPECT_EQ(first_host("localhost"), "localhost");
  EXPECT_EQ(first_host("a1,a2"), "a1");
  EXPECT_EQ(first_host("node[07-09,12],login"), "node07");
  EXPECT_EQ(first_host("rack[2,4-5]-n[03-09].cluster"), "rack2-n03.cluster");
  EXPECT_EQ(first_host("node[12]"), "node12");
}

TEST(FirstHost, IsEmptyForAMalformedList) {
  EXPECT_EQ(first_host(""), "");
  EXPECT_EQ(first_host("node[07"), "");
  EXPECT_EQ(first_host("node[]"), "");
}

}  // namespace
}  // namespace attend::distributed
