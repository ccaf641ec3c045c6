#include "data/chunks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"

namespace attend::data {
namespace {

class HeapChunks final : public Chunks {
 public:
  void* add() override {
    return chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(kBytes)).get();
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

[[noreturn]] void fail(const std::filesystem::path& folder, int error) {
  throw DataError(folder, fmt::format("cannot create a file for data.storage: mmap here: {}",
                                      std::strerror(error)));
}

/// Opens a new file and removes its name.
int open_nameless(const std::filesystem::path& folder) {
  std::string name = (folder / ".attend_tokens.XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail(folder, errno);
  ::unlink(name.c_str());
  return descriptor;
}

class FileChunks final : public Chunks {
 public:
  explicit FileChunks(const std::filesystem::path& folder)
      : folder_(folder), descriptor_(open_nameless(folder)) {}

  ~FileChunks() override {
    for (void* chunk : chunks_) ::munmap(chunk, kBytes);
    ::close(descriptor_);
  }

  void* add() override {
    constexpr std::size_t kChunksToKeep = 8;  // 16 MiB
    if (chunks_.size() % kChunksToKeep == 0) release_pages();
    const auto offset = static_cast<off_t>(chunks_.size() * kBytes);
    // Reserves disk space first: writing to a mapped page on a full disk would kill the process.
    int error = EINTR;
    while (error == EINTR) error = ::posix_fallocate(descriptor_, offset, off_t{kBytes});
    if (error != 0) fail(folder_, error);
    void* chunk = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, offset);
    if (chunk == MAP_FAILED) fail(folder_, errno);
    return chunks_.emplace_back(chunk);
  }

  void note_read() override {
    constexpr int kReadsToKeep = 16384;  // 64 MiB at one page each
    if (++reads_ % kReadsToKeep == 0) release_pages();
  }

 private:
  // Frees the memory of the mapped pages; the data stays in the file.
  void release_pages() {
    for (void* chunk : chunks_) ::madvise(chunk, kBytes, MADV_DONTNEED);
  }

  std::filesystem::path folder_;
  int descriptor_;
  std::vector<void*> chunks_;
  std::atomic<uint32_t> reads_ = 0;
};

}  // namespace

std::shared_ptr<Chunks> chunks_in_memory() {
  return std::make_shared<HeapChunks>();
}

std::shared_ptr<Chunks> chunks_in_file(const std::filesystem::path& folder) {
  return std::make_shared<FileChunks>(folder);
}

std::shared_ptr<Chunks> make_chunks(Storage storage, const std::filesystem::path& folder) {
  if (storage == Storage::memory) return chunks_in_memory();
  return chunks_in_file(folder.empty() ? std::filesystem::temp_directory_path() : folder);
}

}  // namespace attend::data
