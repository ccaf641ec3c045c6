#include "kernels/cpu/instructions.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "kernels/product/panels.h"

namespace attend::kernels {
namespace {

/// Sets ATTEND_MAX_CPU, and restores it at the end of the scope.
class MaxCpu {
 public:
  explicit MaxCpu(const char* value) {
    if (const char* const before = std::getenv(kName)) before_ = before;
    setenv(kName, value, 1);
  }
  ~MaxCpu() { before_.empty() ? unsetenv(kName) : setenv(kName, before_.c_str(), 1); }
  MaxCpu(const MaxCpu&) = delete;
  MaxCpu& operator=(const MaxCpu&) = delete;

 private:
  static constexpr const char* kName = "ATTEND_MAX_CPU";
  std::string before_;
};

TEST(Instructions, AreLimitedByName) {
  const auto allowed = [](const char* name) {
    const MaxCpu limit(name);
    return allowed_instructions();
  };
  EXPECT_EQ(allowed("baseline"), Instructions::baseline);
  EXPECT_EQ(allowed("avx2"), Instructions::avx2);
  EXPECT_EQ(allowed("avx512_vnni"), Instructions::avx512_vnni);
  EXPECT_EQ(allowed("native"), Instructions::amx);
  EXPECT_EQ(allowed(""), Instructions::amx);
  EXPECT_EQ(allowed("AVX2"), std::nullopt);
  EXPECT_EQ(max_cpu_names(),
            "baseline, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16, amx, native");
}

TEST(Instructions, InUseAreThoseOfTheCpuAndAllowed) {
  EXPECT_LE(instructions_in_use(), cpu_instructions());
  EXPECT_LE(instructions_in_use(), allowed_instructions());
  EXPECT_EQ(has_panels(Precision::full), instructions_in_use() >= Instructions::avx2);
  EXPECT_EQ(has_panels(Precision::bf16), instructions_in_use() >= Instructions::avx512_bf16);
}

std::string openblas_core() {
  const auto name =
      reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return name == nullptr ? "" : name();
}

// CMakeLists.txt runs the tests of the kernels once with each limit.
TEST(Instructions, LimitWhatOpenBlasRunsToo) {
  if (openblas_core().empty()) GTEST_SKIP() << "no OpenBLAS";
  if (instructions_in_use() == cpu_instructions()) GTEST_SKIP() << "not limited";
  constexpr std::array<const char*, 6> kCores = {"Nehalem",  "Haswell",  "Haswell",
                                                 "SkylakeX", "SkylakeX", "SkylakeX"};
  EXPECT_EQ(openblas_core(), kCores.at(static_cast<std::size_t>(instructions_in_use())));
}

}  // namespace
}  // namespace attend::kernels
