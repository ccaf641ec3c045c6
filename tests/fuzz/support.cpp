#include "tests/fuzz/support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

namespace attend::fuzz {
namespace {

void check(bool done) {
  if (!done) throw std::system_error(errno, std::generic_category(), "a file in memory");
}

}  // namespace

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

std::string_view text_of(const uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

MemoryFile::MemoryFile()
    : descriptor_(::memfd_create("attend_fuzz", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  check(descriptor_ >= 0);
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

const std::filesystem::path& MemoryFile::holding(std::string_view content) {
  check(::ftruncate(descriptor_, 0) == 0);
  check(::pwrite(descriptor_, content.data(), content.size(), 0) ==
        static_cast<ssize_t>(content.size()));
  return path_;
}

}  // namespace attend::fuzz
