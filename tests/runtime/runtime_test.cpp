#include "runtime/runtime.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <torch/types.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <new>

#include "core/error.h"
#include "kernels/cpu/instructions.h"
#include "runtime/blas.h"

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
                ThrowsMessage<UsageError>(HasSubstr("with the number of a GPU")))
        << name;
  }
}

TEST(Runtime, RefusesADeviceThatIsNotThere) {
  EXPECT_THAT([] { static_cast<void>(set_up_runtime("cuda:99", 1)); },
              ThrowsMessage<UsageError>(HasSubstr("use device cpu")));
}

TEST(Runtime, RefusesAnUnknownMaxCpuAndListsTheChoices) {
  const char* const before = std::getenv("ATTEND_MAX_CPU");
  const std::string kept = before == nullptr ? "" : before;
  setenv("ATTEND_MAX_CPU", "pentium", 1);
  EXPECT_THAT([] { static_cast<void>(set_up_runtime("cpu", 1)); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("ATTEND_MAX_CPU"), HasSubstr("\"pentium\""),
                                              HasSubstr("baseline, avx2"))));
  setenv("ATTEND_MAX_CPU", kept.c_str(), 1);
}

// oneDNN computes some of LibTorch's operations.
TEST(Runtime, LimitsWhatOneDnnRunsToo) {
#ifndef __x86_64__
  GTEST_SKIP() << "oneDNN reports its instructions on x86 only";
#endif
  const auto isa = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "dnnl_get_effective_cpu_isa"));
  if (isa == nullptr) GTEST_SKIP() << "no oneDNN";
  const kernels::Instructions in_use = kernels::instructions_in_use();
  constexpr int kAvx2 = 0x7, kAvx512 = 0x27, kVnni = 0x67;
  const auto runs = [&](int bits) { return (isa() & bits) == bits; };
  EXPECT_LE(runs(kAvx2), in_use >= kernels::Instructions::avx2);
  EXPECT_LE(runs(kAvx512), in_use >= kernels::Instructions::avx512);
  EXPECT_LE(runs(kVnni), in_use >= kernels::Instructions::avx512_vnni);
}

/// Limits the process to `more` bytes of additional address space.
void limit_addresses(std::size_t more) {
  std::ifstream status("/proc/self/statm");
  std::size_t pages = 0;
  status >> pages;
  const rlimit limit = {pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more,
                        RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

/// Death tests start the program again ("threadsafe"), because OpenMP's threads do not survive a
/// fork.
class BlasBuffers : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Regression: OpenBLAS retried forever without a message.
TEST_F(BlasBuffers, EndInOutOfMemoryWhereTheyFindNoRoom) {
  if (!loaded_blas().description.starts_with("OpenBLAS")) GTEST_SKIP() << "no OpenBLAS";
  EXPECT_EXIT(
      {
        alarm(20);
        limit_addresses(std::size_t{64} << 20);
        try {
          take_blas_buffers(4);
        } catch (const std::bad_alloc&) {
          _exit(3);
        }
        _exit(0);
      },
      testing::ExitedWithCode(3), "");
}

// After take_blas_buffers(), products work even if the address space is limited later.
TEST_F(BlasBuffers, AreKeptForProducts) {
  EXPECT_EXIT(
      {
        alarm(20);
        take_blas_buffers(2);
        limit_addresses(std::size_t{32} << 20);
        const torch::Tensor x = torch::ones({200, 200});
        _exit(torch::mm(x, x)[0][0].item<float>() == 200.0F ? 5 : 0);
      },
      testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace attend::runtime
