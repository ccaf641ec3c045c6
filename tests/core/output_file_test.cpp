#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/fault_point.h"
#include "core/file.h"
#include "core/signal.h"
#include "tests/support/temp_dir.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OutputFileTest : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted) {
  const auto file = dir_ / "out";
  {
    OutputFile output(file);
    output.write_line("one");
    output.write("two");
    output.flush();
    EXPECT_FALSE(std::filesystem::exists(file));
    output.commit();
  }
  EXPECT_EQ(test::read_text(file), "one\ntwo");
}

TEST_F(OutputFileTest, LeavesNoFileWithoutCommit) {
  { OutputFile(dir_ / "out").write_line("one"); }
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(OutputFileTest, WritesStandardOutput) {
  testing::internal::CaptureStdout();
  {
    OutputFile output("-");
    output.write_line("one");
    output.commit();
    OutputFile("").write_line("two");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\ntwo\n");
}

TEST_F(OutputFileTest, WritesToADeviceWithoutReplacingIt) {
  OutputFile output("/dev/null");
  output.write_line("one");
  output.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// Regression: attend translate --output /dev/stdout >>all destroyed `all`.
TEST_F(OutputFileTest, AppendsToTheFileBehindADescriptor) {
  const auto all = dir_.write("all", "before\n");
  const int descriptor = ::open(all.c_str(), O_WRONLY | O_APPEND);
  {
    OutputFile output("/dev/fd/" + std::to_string(descriptor));
    output.write_line("one");
    output.commit();
  }
  ASSERT_EQ(::write(descriptor, "after\n", 6), 6);
  ::close(descriptor);
  EXPECT_EQ(test::read_text(all), "before\none\nafter\n");
}

TEST_F(OutputFileTest, AppendsToTheFileBehindStandardOutput) {
  const auto all = dir_.write("all", "before\n");
  const int descriptor = ::open(all.c_str(), O_WRONLY | O_APPEND);
  const int old = ::dup(STDOUT_FILENO);
  ::dup2(descriptor, STDOUT_FILENO);
  {
    OutputFile output("/dev/stdout");
    output.write_line("one");
    output.commit();
  }
  ::dup2(old, STDOUT_FILENO);
  ::close(old);
  ::close(descriptor);
  EXPECT_EQ(test::read_text(all), "before\none\n");
}

TEST_F(OutputFileTest, RejectsADescriptorThatIsNotOpen) {
  EXPECT_THAT([] { OutputFile("/dev/fd/987"); },
              ThrowsMessage<DataError>(HasSubstr("Bad file descriptor")));
}

TEST_F(OutputFileTest, WaitsForTheReaderOfANonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string text(1 << 20, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::string buffer(1 << 16, '\0');
    while (received < text.size()) {
      const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
      if (count > 0)
        received += static_cast<std::size_t>(count);
      else
        ::usleep(100);
    }
  });
  OutputFile output("/dev/fd/" + std::to_string(ends[1]));
  EXPECT_NO_THROW(output.write(text));
  EXPECT_NO_THROW(output.commit());
  reader.join();
  EXPECT_EQ(received, text.size());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputFileTest, ReportsAFullDevice) {
  OutputFile output("/dev/full");
  output.write_line("one");
  EXPECT_THAT([&] { output.commit(); }, ThrowsMessage<DataError>(HasSubstr("No space left")));
}

// Regression: translate ran on for hours after the disk was full.
TEST_F(OutputFileTest, ReportsAFullDiskAtOnce) {
  OutputFile output(dir_ / "out");
  plan_faults("fail=1,only=write out");
  EXPECT_THAT([&] { output.write(std::string(1 << 20, 'x')); },
              ThrowsMessage<DataError>(HasSubstr("No space left")));
  plan_faults("");
}

// Regression: SIGTERM did not end `attend translate | less`.
TEST_F(OutputFileTest, ASignalEndsTheWaitForAnIdleReader) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::signal(SIGTERM, SIG_DFL);
  install_signal_handlers();
  {
    OutputFile output("/dev/fd/" + std::to_string(ends[1]));
    std::raise(SIGTERM);
    EXPECT_THAT([&] { output.write(std::string(1 << 20, 'x')); },
                ThrowsMessage<Stopped>(HasSubstr("stopped while waiting to write")));
  }
  clear_requested_stop();
  std::signal(SIGTERM, SIG_DFL);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputFileTest, AReaderGetsWhatWasWrittenBeforeASignal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::signal(SIGTERM, SIG_DFL);
  install_signal_handlers();
  std::raise(SIGTERM);
  { OutputFile("/dev/fd/" + std::to_string(ends[1])).write_line("one"); }
  ::close(ends[1]);
  std::string received(16, '\0');
  EXPECT_EQ(::read(ends[0], received.data(), received.size()), 4);
  clear_requested_stop();
  std::signal(SIGTERM, SIG_DFL);
  ::close(ends[0]);
}

TEST_F(OutputFileTest, RejectsAPipeWithoutAReader) {
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(OutputFile(dir_ / "pipe"), DataError);
}

TEST_F(OutputFileTest, ThrowsClosedPipeWhenTheReaderIsGone) {
  const auto pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile output(pipe);
  ::close(reader);
  output.write_line("one");
  EXPECT_THROW(output.commit(), ClosedPipe);
  std::signal(SIGPIPE, old_handler);
}

TEST_F(OutputFileTest, RejectsAFolder) {
  EXPECT_THAT([&] { OutputFile output(dir_.path()); },
              ThrowsMessage<DataError>(HasSubstr("a folder has this name")));
}

}  // namespace
}  // namespace attend
