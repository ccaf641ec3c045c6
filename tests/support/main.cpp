#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/cpu/cpu_limit.h"

/// As GoogleTest's own, for tests that compute: they honour ATTEND_MAX_CPU as the program does.
int main(int argc, char** argv) {
  attend::kernels::keep_libraries_to_allowed(argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
