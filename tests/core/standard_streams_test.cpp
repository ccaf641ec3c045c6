#include "core/standard_streams.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::ThrowsMessage;

/// Replaces standard input by a pipe.
class StandardInput : public testing::Test {
 protected:
  void SetUp() override {
    release_standard_input();
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    old_ = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_ = ends[1];
  }
  void TearDown() override {
    ::dup2(old_, STDIN_FILENO);
    ::close(old_);
    ::close(writer_);
    release_standard_input();
  }
  void send(std::string_view text) const {
    ASSERT_EQ(::write(writer_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  int writer_ = -1;
  int old_ = -1;
};

TEST_F(StandardInput, CanBeReadOnlyOnce) {
  const LineReader first("-");
  const auto message =
      ThrowsMessage<UsageError>(HasSubstr("standard input (\"-\") is given twice"));
  EXPECT_THAT([] { LineReader("-"); }, message);
  EXPECT_THAT([] { LineReader("/dev/stdin"); }, message);
  EXPECT_THAT([] { LineReader("/dev/fd/0"); }, message);
}

TEST_F(StandardInput, IsTheSameUnderItsOtherName) {
  LineReader first("/dev/stdin");
  EXPECT_THROW(LineReader("-"), UsageError);
  send("line\n");
  EXPECT_THAT(first.next(), Optional(std::string("line")));
}

TEST_F(StandardInput, ARegularFileCanBeOpenedAgain) {
  const test::TempDir dir;
  const int file = ::open(dir.write("x", "line\n").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  LineReader first("/dev/stdin");
  LineReader second("/dev/stdin");
  EXPECT_THAT(first.next(), Optional(std::string("line")));
  EXPECT_THAT(second.next(), Optional(std::string("line")));
}

// Regression: reading failed with "Resource temporarily unavailable".
TEST_F(StandardInput, MayBeNonBlocking) {
  ::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  LineReader reader("-");
  EXPECT_TRUE(reader.would_block());
  std::thread late([this] {
    ::usleep(20'000);
    send("late\n");
  });
  EXPECT_THAT(reader.next(), Optional(std::string("late")));
  late.join();
}

}  // namespace
}  // namespace attend
