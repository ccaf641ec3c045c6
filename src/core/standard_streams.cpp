#include "core/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace attend {

void occupy_closed_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Open for the wrong direction, and at the lowest free number, which is this one.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace attend
