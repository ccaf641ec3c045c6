#include "core/signal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace attend {
namespace {

class SignalTest : public testing::Test {
 protected:
  // The caller of the tests may ignore some of them.
  void SetUp() override { set_default_signals(); }
  void TearDown() override {
    clear_requested_stop();
    set_default_signals();
  }

 private:
  static void set_default_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
      std::signal(signal, SIG_DFL);
  }
};

TEST_F(SignalTest, RequestsAStopInsteadOfEndingTheProcess) {
  install_signal_handlers();
  EXPECT_EQ(requested_stop(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(requested_stop(), SIGTERM);
  clear_requested_stop();
  EXPECT_EQ(requested_stop(), 0);
}

TEST_F(SignalTest, ASecondSignalEndsTheProcess) {
  static int64_t now = 0;
  const auto ask_twice = [] {
    install_signal_handlers([] { return now; });
    std::raise(SIGINT);
    now += 600;
    std::raise(SIGINT);
  };
  EXPECT_EXIT(ask_twice(), testing::ExitedWithCode(128 + SIGINT), "");
}

// Regression: a script that forwarded a signal of its whole process group (a closed terminal,
// timeout) ended training runs before they had saved.
TEST_F(SignalTest, AnEchoOfTheFirstSignalIsIgnored) {
  install_signal_handlers();
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(requested_stop(), SIGTERM);
}

TEST_F(SignalTest, AClosedTerminalRequestsAStop) {
  install_signal_handlers();
  std::raise(SIGHUP);
  EXPECT_EQ(requested_stop(), SIGHUP);
}

// The terminal and the shell both send SIGHUP; a service manager sends it in addition to SIGTERM.
TEST_F(SignalTest, AClosedTerminalDoesNotEndTheProcess) {
  install_signal_handlers();
  std::raise(SIGHUP);
  std::raise(SIGHUP);
  EXPECT_EQ(requested_stop(), SIGHUP);
}

TEST_F(SignalTest, RespectsNohup) {
  std::signal(SIGHUP, SIG_IGN);
  install_signal_handlers();
  std::raise(SIGHUP);
  EXPECT_EQ(requested_stop(), 0);
}

// Regression: Ctrl-C ended runs that a script had put into the background (trap '' INT).
TEST_F(SignalTest, AnIgnoredSignalStaysIgnored) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, SIG_IGN);
    install_signal_handlers();
    std::raise(signal);
    EXPECT_EQ(requested_stop(), 0) << signal;
  }
}

TEST_F(SignalTest, AFileBeyondTheLimitIsAWriteErrorOnly) {
  install_signal_handlers();
  EXPECT_EQ(std::raise(SIGXFSZ), 0);
}

TEST_F(SignalTest, AClosedPipeIsAWriteErrorOnly) {
  install_signal_handlers();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  ::close(ends[1]);
}

}  // namespace
}  // namespace attend
