#include "distributed/process_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace attend::distributed {
namespace {

/// A process that sleeps until it is killed.
class Sleeper {
 public:
  Sleeper() {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      const std::string note = ProcessWatch::own_note();
      static_cast<void>(!::write(pipe[1], note.data(), note.size()));
      ::close(pipe[1]);
      while (true) ::pause();
    }
    ::close(pipe[1]);
    std::array<char, 256> note{};
    const ssize_t size = ::read(pipe[0], note.data(), note.size());
    note_.assign(note.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    ::close(pipe[0]);
  }
  ~Sleeper() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  /// Kills the process and leaves it to its parent (a zombie).
  void kill() const {
    ::kill(process_, SIGKILL);
    siginfo_t information{};
    ::waitid(P_PID, static_cast<id_t>(process_), &information, WEXITED | WNOWAIT);
  }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  pid_t process_ = -1;
  std::string note_;
};

TEST(ProcessWatch, SeesTheEndOfAProcess) {
  const Sleeper sleeper;
  const ProcessWatch by_number(sleeper.process());
  const ProcessWatch by_note(sleeper.note());
  EXPECT_FALSE(by_number.has_ended());
  EXPECT_FALSE(by_note.has_ended());
  sleeper.kill();
  EXPECT_TRUE(by_number.has_ended());
  EXPECT_TRUE(by_note.has_ended());
}

// On another machine, the number may belong to an unrelated process here.
TEST(ProcessWatch, NeverSeesTheEndOfAProcessElsewhere) {
  const Sleeper sleeper;
  const ProcessWatch elsewhere("f" + sleeper.note());
  const ProcessWatch nonsense("");
  sleeper.kill();
  EXPECT_FALSE(elsewhere.has_ended());
  EXPECT_FALSE(nonsense.has_ended());
}

}  // namespace
}  // namespace attend::distributed
