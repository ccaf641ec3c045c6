#include "distributed/local_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/signal.h"
#include "distributed/join.h"
#include "distributed/meeting_point.h"

extern char** environ;

namespace attend::distributed {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kGrace = std::chrono::seconds(5);
constexpr auto kChildPoll = std::chrono::milliseconds(20);
constexpr const char* kParentVariable = "ATTEND_LOCAL_RANK_OF";

/// A null-terminated array of strings for exec.
class Strings {
 public:
  explicit Strings(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

bool is_set_for_ranks(const std::string& variable) {
  const std::string name = variable.substr(0, variable.find('='));
  for (const char* ours : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR",
                           "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE",
                           "TORCHELASTIC_RESTART_COUNT", kParentVariable, kConnectionsVariable})
    if (name == ours) return true;
  return false;
}

/// Two connections to the meeting point, for a child to inherit.
class Connections {
 public:
  explicit Connections(MeetingPoint& meeting_point) {
    for (int& descriptor : descriptors_) descriptor = meeting_point.connect();
  }
  ~Connections() {
    for (const int descriptor : descriptors_)
      if (descriptor >= 0) ::close(descriptor);
  }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  [[nodiscard]] std::string list() const {
    return fmt::format("{},{}", descriptors_[0], descriptors_[1]);
  }
  /// Async-signal-safe.
  void keep_on_exec() const {
    for (const int descriptor : descriptors_) ::fcntl(descriptor, F_SETFD, 0);
  }

 private:
  std::array<int, 2> descriptors_ = {-1, -1};
};

std::vector<std::string> environment_of(int64_t rank, int64_t count,
                                        const Connections& connections) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_set_for_ranks(*variable)) variables.emplace_back(*variable);
  for (const auto& [name, value] : {std::pair<const char*, int64_t>{"RANK", rank},
                                    {"WORLD_SIZE", count},
                                    {"LOCAL_RANK", rank},
                                    {"LOCAL_WORLD_SIZE", count},
                                    {kParentVariable, ::getpid()}})
    variables.push_back(fmt::format("{}={}", name, value));
  variables.push_back(fmt::format("{}={}", kConnectionsVariable, connections.list()));
  variables.emplace_back("TORCHELASTIC_USE_AGENT_STORE=True");
  return variables;
}

/// Runs in the forked child, which may only call async-signal-safe functions because this process
/// has threads.
[[noreturn]] void exec_child(const Strings& arguments, const Strings& environment,
                             const Connections& connections, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended in between
  // The child gets its own process group, so that the terminal's Ctrl-C reaches only the parent,
  // which passes it on. A second signal would end the child at once.
  ::setpgid(0, 0);
  connections.keep_on_exec();
  ::execve("/proc/self/exe", arguments.data(), environment.data());
  ::_exit(127);
}

/// Starts the child, which inherits `connections`.
pid_t start(const Strings& arguments, const Strings& environment, const Connections& connections) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) exec_child(arguments, environment, connections, parent);
  if (child < 0) throw std::system_error(errno, std::generic_category(), "starting a process");
  return child;
}

struct Child {
  pid_t process = 0;
  bool ended = false;
};

class Children {
 public:
  ~Children() {
    send(SIGKILL);
    while (running() > 0) reap();
  }

  void add(pid_t process) { children_.push_back({process}); }

  [[nodiscard]] std::size_t running() const {
    std::size_t count = 0;
    for (const Child& child : children_) count += child.ended ? 0 : 1;
    return count;
  }

  void send(int signal) const {
    for (const Child& child : children_)
      if (!child.ended) ::kill(child.process, signal);
  }

  /// Records the children that ended, then waits one poll interval.
  void reap() {
    for (std::size_t rank = 0; rank < children_.size(); ++rank) {
      int status = 0;
      Child& child = children_[rank];
      if (child.ended || ::waitpid(child.process, &status, WNOHANG) != child.process) continue;
      child.ended = true;
      record_exit(rank, status);
    }
    std::this_thread::sleep_for(kChildPoll);
  }

  /// Kills all children. Their exits no longer count as failures.
  void end_all() {
    stopped_ = true;
    send(SIGKILL);
  }

  [[nodiscard]] bool failed() const { return ending_.exit_code != 0; }
  /// True if the work is done: no process exits with 0 before the last save (Group::part()).
  [[nodiscard]] bool done() const { return done_; }

  [[nodiscard]] LocalEnding ending() const {
    LocalEnding ending = ending_;
    if (reported_) ending.unreported.clear();
    return ending;
  }

 private:
  void record_exit(std::size_t rank, int status) {
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code == static_cast<int>(ExitCode::kPeers)) reported_ = true;
    if (code == 0) done_ = true;
    if (code == 0 || stopped_) return;
    // A process that only noticed the failure of another may end before the one that failed.
    const bool noticed_only = ending_.exit_code == static_cast<int>(ExitCode::kPeers);
    if (ending_.exit_code != 0 && !noticed_only) return;
    ending_.exit_code = code;
    if (WIFSIGNALED(status))
      ending_.unreported = fmt::format("rank {} (process {}) was ended by signal {}", rank,
                                       children_[rank].process, WTERMSIG(status));
  }

  std::vector<Child> children_;
  LocalEnding ending_;
  bool reported_ = false;
  bool done_ = false;
  bool stopped_ = false;
};

volatile std::sig_atomic_t suspend_requested = 0;

void note_suspension(int /*signal*/) {
  suspend_requested = 1;
}

/// Suspends the children along with this process: the terminal's Ctrl-Z reaches only this process.
class Suspension {
 public:
  Suspension() {
    struct sigaction action {};
    action.sa_handler = note_suspension;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGTSTP, nullptr, &before_);
    if (before_.sa_handler != SIG_IGN) ::sigaction(SIGTSTP, &action, nullptr);
  }
  ~Suspension() { ::sigaction(SIGTSTP, &before_, nullptr); }
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;

  /// Suspends all children if requested. Returns when the shell continues this process.
  static void follow(const Children& children) {
    if (suspend_requested == 0) return;
    suspend_requested = 0;
    children.send(SIGSTOP);
    ::raise(SIGSTOP);
    children.send(SIGCONT);
  }

 private:
  struct sigaction before_ {};
};

void pass_on_stop(const Children& children, int& passed) {
  const int signal = requested_stop();
  if (signal == 0 || passed != 0) return;
  passed = signal;
  children.send(signal);
}

LocalEnding wait_for(Children& children) {
  const Suspension suspension;
  int passed = 0;
  std::optional<Clock::time_point> deadline;
  while (children.running() > 0) {
    Suspension::follow(children);
    pass_on_stop(children, passed);
    children.reap();
    // Without a deadline, this would wait forever for a process that was stopped after the work was
    // done.
    if ((children.failed() || children.done()) && !deadline) deadline = Clock::now() + kGrace;
    if (deadline && Clock::now() > *deadline) children.end_all();
  }
  LocalEnding ending = children.ending();
  // A process that was ended by the passed signal before it installed its handlers did not fail.
  if (passed != 0 && ending.exit_code == 128 + passed) ending.unreported.clear();
  return ending;
}

}  // namespace

LocalEnding run_local_ranks(int64_t count) {
  check_available();
  MeetingPoint meeting_point;
  const Strings arguments(own_arguments());
  Children children;
  for (int64_t rank = 0; rank < count; ++rank) {
    const Connections connections(meeting_point);
    const Strings environment(environment_of(rank, count, connections));
    children.add(start(arguments, environment, connections));
  }
  return wait_for(children);
}

bool is_local_rank(const Environment& environment) {
  return environment(kParentVariable).has_value();
}

}  // namespace attend::distributed
