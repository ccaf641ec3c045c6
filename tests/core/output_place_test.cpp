#include "core/output_place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using ::testing::Optional;

TEST(OwnDescriptor, IsFoundBehindEveryLink) {
  const test::TempDir dir;
  fs::create_symlink("/dev/stdout", dir / "out");
  fs::create_symlink("out", dir / "link");
  EXPECT_THAT(own_descriptor("/dev/stdout"), Optional(1));
  EXPECT_THAT(own_descriptor("/dev/stdin"), Optional(0));
  EXPECT_THAT(own_descriptor("/dev/fd/7"), Optional(7));
  EXPECT_THAT(own_descriptor("/proc/self/fd/12"), Optional(12));
  EXPECT_THAT(own_descriptor(dir / "link"), Optional(1));
}

TEST(OwnDescriptor, IsNothingForOtherPaths) {
  const test::TempDir dir;
  fs::create_symlink("loop", dir / "loop");
  for (const char* other : {"/dev/null", "/dev/fd/x", "-", "", "nowhere/1", "1"}) {
    EXPECT_EQ(own_descriptor(other), std::nullopt) << other;
  }
  EXPECT_EQ(own_descriptor(dir / "loop"), std::nullopt);
}

TEST(SameOutput, OneFileUnderTwoNames) {
  const test::TempDir dir;
  fs::create_directory(dir / "sub");
  fs::create_symlink(dir / "x", dir / "link");
  EXPECT_TRUE(is_same_output(dir / "x", dir / "sub" / ".." / "x"));
  EXPECT_TRUE(is_same_output(dir / "x", dir / "link"));
  EXPECT_FALSE(is_same_output(dir / "x", dir / "y"));
}

TEST(SameOutput, StandardOutputHasSeveralNames) {
  EXPECT_TRUE(is_same_output("-", "/dev/stdout"));
  EXPECT_TRUE(is_same_output("/dev/fd/1", ""));
  EXPECT_FALSE(is_same_output("-", "x"));
}

TEST(SameOutput, AFileAndTheDescriptorThatWritesIt) {
  const test::TempDir dir;
  const auto file = dir.write("x", "");
  const int descriptor = ::open(file.c_str(), O_WRONLY);
  const fs::path name = "/dev/fd/" + std::to_string(descriptor);
  EXPECT_TRUE(is_same_output(file, name));
  EXPECT_FALSE(is_same_output(dir.write("y", ""), name));
  ::close(descriptor);
}

}  // namespace
}  // namespace attend
