#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernels/cpu/cpu_limit.h"
#include "kernels/device/launch.h"

/// Like GoogleTest's own main(), for tests that compute: honours ATTEND_MAX_CPU as the program
/// does, and ATTEND_SIMULATED_GPU (tests/simulated_gpu).
int main(int argc, char** argv) {
  attend::kernels::keep_libraries_to_allowed(argv);
  const char* const simulated = std::getenv("ATTEND_SIMULATED_GPU");
  attend::kernels::device::gpu_is_simulated =
      simulated != nullptr && simulated == std::string("shared");
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
