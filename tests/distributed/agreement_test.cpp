#include "distributed/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace attend::distributed {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StrEq;
using testing::ThrowsMessage;

/// Acts as the first of two processes; the note of the other process is given.
class Told final : public Communicator {
 public:
  explicit Told(std::string other) : other_(std::move(other)) {}
  [[nodiscard]] int64_t rank() const override { return 0; }
  [[nodiscard]] int64_t size() const override { return 2; }
  void begin_sum(const torch::Tensor& /*values*/, Wire /*wire*/) override {}
  void finish_sums() override {}
  void take_from_first(const torch::Tensor& /*values*/) override {}
  [[nodiscard]] std::string decide(const std::function<std::string()>& task) override {
    return task();
  }
  [[nodiscard]] std::vector<std::string> collect(const std::string& note) override {
    said = note;
    return {note, other_};
  }
  [[nodiscard]] std::vector<std::string> exchange(const std::string& /*topic*/,
                                                  const std::string& note) override {
    said = note;
    return {note, other_};
  }
  [[nodiscard]] std::string name_of(int64_t rank) const override {
    return "rank " + std::to_string(rank) + " (host h" + std::to_string(rank) + ")";
  }

  std::string said;

 private:
  std::string other_;
};

TEST(Agree, ReturnsIfAllSucceed) {
  Told peers("0\x1f");
  EXPECT_NO_THROW(agree(&peers, "plan", [] {}));
  EXPECT_EQ(peers.said, "0\x1f");
}

TEST(Agree, ThrowsItsOwnErrorAfterReportingIt) {
  Told peers("0\x1f");
  EXPECT_THAT([&] { agree(&peers, "plan", [] { throw DataError("no such file"); }); },
              ThrowsMessage<DataError>(StrEq("no such file")));
  EXPECT_EQ(peers.said, "3\x1fno such file");
}

TEST(Agree, NamesTheFailedProcessAndKeepsItsExitCode) {
  Told peers(
      "3\x1f"
      "no such file");
  try {
    agree(&peers, "plan", [] {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "rank 1 (host h1): no such file");
    EXPECT_EQ(error.exit_code(), ExitCode::kData);
  }
}

TEST(Agree, JustRunsForOneProcess) {
  bool ran = false;
  agree(nullptr, "plan", [&] { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(CheckAlike, NamesThePropertyAndBothProcesses) {
  Told peers(
      "1.0\x1f"
      "beef\x1f");
  EXPECT_THAT(
      [&] {
        check_alike(&peers, "start", {{"the program", "1.0"}, {"the config", "cafe"}});
      },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("the config is not the same"),
                                      HasSubstr("rank 0 (host h0) has cafe"),
                                      HasSubstr("rank 1 (host h1) has beef"))));
}

TEST(CheckAlike, AcceptsEqualProperties) {
  Told peers(
      "1.0\x1f"
      "cafe\x1f");
  EXPECT_NO_THROW(check_alike(&peers, "start", {{"the program", "1.0"}, {"the config", "cafe"}}));
}

TEST(CheckDistinct, NamesTheProcessesThatHaveTheSame) {
  Told peers("cafe");
  EXPECT_NO_THROW(check_distinct(&peers, "GPUs", "beef", "use the same GPU"));
  EXPECT_THAT(
      [&] { check_distinct(&peers, "GPUs", "cafe", "use the same GPU"); },
      ThrowsMessage<UsageError>(StrEq("rank 0 (host h0) and rank 1 (host h1) use the same GPU")));
}

TEST(CheckDistinct, AcceptsNothingTwice) {
  Told peers("");
  EXPECT_NO_THROW(check_distinct(&peers, "GPUs", "", "use the same GPU"));
  EXPECT_NO_THROW(check_distinct(nullptr, "GPUs", "cafe", "use the same GPU"));
}

TEST(Gather, ReturnsNotesOfArbitraryBytes) {
  const std::string bytes("a\x1f\0b", 4);
  Told peers("0\x1f" + bytes);
  EXPECT_THAT(gather(peers, [] { return "own"; }), testing::ElementsAre("own", bytes));
}

TEST(Gather, IsStoppedByASignalToAnotherProcess) {
  Told peers(
      "143\x1f"
      "stopped");
  EXPECT_THAT([&] { static_cast<void>(gather(peers, [] { return ""; })); },
              ThrowsMessage<Stopped>(StrEq("stopped")));
}

TEST(Gather, ThrowsAnErrorOfTheFirstAfterCollectingTheOthers) {
  Told peers("0\x1f");
  const auto fail = []() -> std::string { throw Stopped(15, "stopped here"); };
  EXPECT_THAT([&] { static_cast<void>(gather(peers, fail)); },
              ThrowsMessage<Stopped>(StrEq("stopped here")));
  EXPECT_THAT(peers.said, HasSubstr("143")) << "the notes were not collected";
}

TEST(Gather, RethrowsANumericErrorOfAnotherProcess) {
  Told peers(
      "4\x1f"
      "not finite");
  EXPECT_THAT([&] { static_cast<void>(gather(peers, [] { return ""; })); },
              ThrowsMessage<NumericError>(HasSubstr("rank 1 (host h1): not finite")));
}

}  // namespace
}  // namespace attend::distributed
