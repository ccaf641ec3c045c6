#include "core/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "core/error.h"

namespace attend {

namespace {

// One of the few globals: a process has one standard input.
std::atomic<bool> standard_input_taken = false;

}  // namespace

void occupy_closed_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, which is `descriptor`. The file is opened in the wrong
    // direction, so that using the stream fails.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void take_standard_input() {
  if (!standard_input_taken.exchange(true)) return;
  throw UsageError(
      "standard input (\"-\") is given twice but can be read only once; give a file for one of "
      "them");
}

void release_standard_input() {
  standard_input_taken = false;
}

void end_process(int exit_code) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(exit_code);
#else
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code);
#endif
}

}  // namespace attend
