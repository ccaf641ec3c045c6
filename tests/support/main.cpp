#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/cpu/cpu_limit.h"

/// Like GoogleTest's own main(), for tests that compute: honours ATTEND_MAX_CPU as the program
/// does.
int main(int argc, char** argv) {
  attend::kernels::keep_libraries_to_allowed(argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
