#include "core/signal.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>

#include "core/error.h"

namespace attend {

namespace {

// Two of the few globals: a signal handler can reach nothing else. Any thread may read them.
std::atomic<int> stop_signal = 0;
std::atomic<int64_t> requested_at = 0;  // milliseconds
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

int64_t monotonic_milliseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

using MillisecondClock = int64_t (*)();
std::atomic<MillisecondClock> milliseconds = monotonic_milliseconds;
static_assert(std::atomic<MillisecondClock>::is_always_lock_free);

/// True if `signal` only repeats the first request: a process group receives a signal as a whole,
/// and scripts and service managers in the group also forward it.
bool is_echo(int signal) {
  constexpr int64_t kEchoMilliseconds = 500;
  return signal == SIGHUP || milliseconds.load()() - requested_at < kEchoMilliseconds;
}

extern "C" void request_stop(int signal) {
  if (stop_signal == 0) {
    requested_at = milliseconds.load()();
    stop_signal = signal;
  } else if (!is_echo(signal)) {
    ::_exit(static_cast<int>(ExitCode::kSignalBase) + signal);
  }
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // No SA_RESTART: a signal must interrupt a read that waits for input.
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers() {
  install_signal_handlers(monotonic_milliseconds);
}

void install_signal_handlers(int64_t (*clock)()) {
  milliseconds = clock;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) handle(signal, request_stop);
  }
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

int requested_stop() {
  return stop_signal;
}

void stop_if_requested(const std::string& message) {
  if (const int signal = requested_stop(); signal != 0) throw Stopped(signal, message);
}

void clear_requested_stop() {
  stop_signal = 0;
}

}  // namespace attend
