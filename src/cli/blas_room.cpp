// OpenBLAS allocates its buffers when it is loaded, before main(), and retries for ever if the
// system refuses. So this check runs before the initialisers of all libraries
// (DT_PREINIT_ARRAY), when only the C library may be used.
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace attend::cli {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kBuffer = 128 * kMegabyte;  // of OpenBLAS, for each thread
constexpr std::size_t kOthers = 64 * kMegabyte;   // what other libraries allocate meanwhile
constexpr std::size_t kMostThreads = 64;          // limit of Debian's OpenBLAS build

/// A positive number in the environment; 0 if there is none.
std::size_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  const long number = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return number > 0 ? static_cast<std::size_t>(number) : 0;
}

/// Number of threads for which OpenBLAS allocates buffers at its start (blas_get_cpu_number()).
std::size_t openblas_threads() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const bool known = ::sched_getaffinity(0, sizeof cpus, &cpus) == 0;
  const std::size_t count = known ? static_cast<std::size_t>(CPU_COUNT(&cpus)) : 1;
  std::size_t wanted = kMostThreads;
  for (const char* variable : {"OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    if (const std::size_t number = number_in(variable); number > 0) wanted = number;
  }
  return std::min({count, wanted, kMostThreads});
}

bool has_addresses(std::size_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return false;
  ::munmap(start, bytes);
  return true;
}

void require_room_for_openblas() {
  if (::dlsym(RTLD_DEFAULT, "openblas_get_config") == nullptr) return;  // another BLAS
  const std::size_t bytes = openblas_threads() * kBuffer + kOthers;
  if (has_addresses(bytes)) return;
  std::array<char, 400> message{};
  const int length = std::snprintf(
      message.data(), message.size(),
      "error: no room for the buffers of OpenBLAS, which need %zu MB of address space, 128 MB for "
      "each CPU; raise the limit (ulimit -v), or set OPENBLAS_NUM_THREADS=1\n",
      bytes / kMegabyte);
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, message.data(), static_cast<std::size_t>(length));
  ::_exit(1);  // ExitCode::kInternal, which includes a lack of memory
}

using Initialiser = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const Initialiser before_libraries =
    &require_room_for_openblas;

}  // namespace
}  // namespace attend::cli
