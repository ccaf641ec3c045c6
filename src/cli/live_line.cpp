#include "cli/live_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/log.h"

namespace attend::cli {
namespace {

void clear_line() {
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

LiveLine::LiveLine(bool wanted) : exists_(wanted && ::isatty(STDERR_FILENO) == 1) {
  if (exists_) log::set_before_write(clear_line);
}

LiveLine::~LiveLine() {
  if (!exists_) return;
  clear_line();
  log::set_before_write(nullptr);
}

void LiveLine::show(std::string text) const {
  text.resize(std::min(text.size(), terminal_width() - 1));
  std::fputs(("\r\033[K" + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace attend::cli
