#include "distributed/process_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>

#include "distributed/kernel_namespace.h"

namespace attend::distributed {
namespace {

/// Equal in two processes if process numbers mean the same to both.
std::string process_numbering() {
  return kernel_namespace("pid");
}

/// The process that wrote a note; -1 if its number means nothing here.
int32_t watched_process(const std::string& note) {
  const std::size_t end = note.rfind(' ');
  if (end == std::string::npos || note.substr(0, end) != process_numbering()) return -1;
  return static_cast<int32_t>(std::stol(note.substr(end + 1)));
}

}  // namespace

std::string ProcessWatch::own_note() {
  return fmt::format("{} {}", process_numbering(), ::getpid());
}

ProcessWatch::ProcessWatch(int32_t process)
    : file_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {}

ProcessWatch::ProcessWatch(const std::string& note) : ProcessWatch(watched_process(note)) {}

bool ProcessWatch::has_ended() const {
  pollfd poll = {file_.get(), POLLIN, 0};
  return file_.get() >= 0 && ::poll(&poll, 1, 0) == 1;
}

}  // namespace attend::distributed
