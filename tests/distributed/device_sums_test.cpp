#include "distributed/device_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/links.h"

namespace attend::distributed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// What a device was told to do, and what happens then.
struct Log {
  std::vector<std::string> calls;
  std::function<void()> when_called = [] {};
};

/// The device of the second of two processes. The first sends sevens; nothing else is carried out.
class LoggingDevice final : public DeviceCollectives {
 public:
  explicit LoggingDevice(Log& log) : log_(log) {}

  [[nodiscard]] int64_t rank() const override { return 1; }
  [[nodiscard]] int64_t size() const override { return 2; }
  void queue(const std::function<void()>& task) override {
    note("queue");
    task();
  }
  void all_reduce(const torch::Tensor& values) override { note("reduce", values); }
  void all_to_all(const torch::Tensor& /*received*/, const torch::Tensor& sent) override {
    note("send", sent);
  }
  void all_gather(const torch::Tensor& /*received*/, const torch::Tensor& sent) override {
    note("gather", sent);
  }
  void broadcast(const torch::Tensor& values) override {
    note("broadcast", values);
    torch::Tensor(values).fill_(7);
  }
  void wait() override { note("wait"); }
  void abandon() noexcept override { log_.calls.emplace_back("abandon"); }

 private:
  void note(const std::string& call) {
    log_.calls.push_back(call);
    log_.when_called();
  }
  void note(const std::string& call, const torch::Tensor& values) {
    note(call + " " + std::to_string(values.numel()) + " " + c10::toString(values.scalar_type()));
  }

  Log& log_;
};

class DeviceSumsTest : public testing::Test {
 protected:
  Log log_;
  DeviceSums sums_{std::make_unique<LoggingDevice>(log_)};
};

// NCCL matches operations by their order, and the host waits only once for all sums.
TEST_F(DeviceSumsTest, QueuesInTheOrderOfTheCallsAndWaitsAtTheEnd) {
  sums_.begin(torch::ones({5}), Wire::bf16);
  sums_.begin(torch::ones({4}, torch::kFloat64), Wire::full);
  EXPECT_THAT(log_.calls, ElementsAre("queue", "send 6 BFloat16", "gather 3 BFloat16", "queue",
                                      "reduce 4 Double"));
  log_.calls.clear();
  sums_.finish();
  EXPECT_THAT(log_.calls, ElementsAre("wait"));
  log_.calls.clear();
  sums_.finish();
  EXPECT_THAT(log_.calls, IsEmpty()) << "waits although no sum was begun";
}

TEST_F(DeviceSumsTest, KeepsValuesAsLongAsTheDeviceUsesThem) {
  auto values = torch::ones({3});
  const c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> memory(
      values.getIntrusivePtr());
  sums_.begin(values, Wire::full);
  values.reset();
  EXPECT_FALSE(memory.expired());
  sums_.finish();
  EXPECT_TRUE(memory.expired());
}

// begin() may be called inside a backward pass, and lost processes are reported by finish() only.
TEST_F(DeviceSumsTest, ReportsLostContactAtTheEnd) {
  log_.when_called = [] { throw LostContact("rank 0 is gone"); };
  EXPECT_NO_THROW(sums_.begin(torch::ones({3}), Wire::full));
  log_.calls.clear();
  EXPECT_NO_THROW(sums_.begin(torch::ones({3}), Wire::full));
  EXPECT_THAT(log_.calls, IsEmpty());
  EXPECT_THAT([&] { sums_.finish(); }, ThrowsMessage<LostContact>(HasSubstr("rank 0 is gone")));
}

TEST_F(DeviceSumsTest, ReportsItsOwnErrorsAtOnce) {
  log_.when_called = [] { throw std::runtime_error("no memory"); };
  EXPECT_THROW(sums_.begin(torch::ones({3}), Wire::full), std::runtime_error);
}

TEST_F(DeviceSumsTest, RefusesValuesWithGaps) {
  EXPECT_THROW(sums_.begin(torch::ones({4, 2}).select(1, 0), Wire::full), std::logic_error);
}

TEST_F(DeviceSumsTest, CopiesValuesWithGapsToo) {
  const torch::Tensor rows = torch::ones({2, 2});
  sums_.take_from_first(rows.select(1, 0));
  EXPECT_THAT(log_.calls, ElementsAre("queue", "broadcast 2 Float", "wait"));
  EXPECT_TRUE(torch::equal(rows, torch::tensor({{7.0F, 1.0F}, {7.0F, 1.0F}}))) << rows;
}

TEST_F(DeviceSumsTest, GivesUpWithoutWaiting) {
  sums_.begin(torch::ones({3}), Wire::full);
  log_.calls.clear();
  sums_.abandon();
  EXPECT_THAT(log_.calls, ElementsAre("abandon"));
}

}  // namespace
}  // namespace attend::distributed
