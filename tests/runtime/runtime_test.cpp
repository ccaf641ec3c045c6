#include "runtime/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace attend::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Runtime, RefusesAnUnknownDeviceAndListsTheChoices) {
  EXPECT_THAT([] { static_cast<void>(set_up_runtime("tpu", 1)); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("unknown device \"tpu\""),
                                              HasSubstr("auto, cpu, cuda, cuda:N"))));
}

TEST(Runtime, RefusesADeviceNumberThatIsNone) {
  for (const char* name : {"cuda:", "cuda:x", "cuda:1x", "cuda:-1"}) {
    EXPECT_THAT([&] { static_cast<void>(set_up_runtime(name, 1)); },
                ThrowsMessage<UsageError>(HasSubstr("comes the number of a GPU")))
        << name;
  }
}

TEST(Runtime, RefusesADeviceThatIsNotThere) {
  EXPECT_THAT([] { static_cast<void>(set_up_runtime("cuda:99", 1)); },
              ThrowsMessage<UsageError>(HasSubstr("use --device cpu")));
}

}  // namespace
}  // namespace attend::runtime
