#include "data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "core/error.h"

namespace attend::data {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  std::error_code failed;
  size_ = std::filesystem::file_size(path, failed);
  const int descriptor = failed ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw DataError(path, "cannot be opened");
  begin_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (begin_ == MAP_FAILED) throw DataError(path, "cannot be mapped into memory");
}

MappedFile::~MappedFile() {
  ::munmap(begin_, size_);
}

void* MappedFile::add() {
  throw std::logic_error("MappedFile::add: a mapped file cannot grow");
}

void MappedFile::note_read() {
  // The system maps some 64 KiB around each read, so this keeps about 64 MiB.
  constexpr uint32_t kReadsToKeep = 1024;
  if (++reads_ % kReadsToKeep == 0) ::madvise(begin_, size_, MADV_DONTNEED);
}

}  // namespace attend::data
