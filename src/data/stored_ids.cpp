#include "data/stored_ids.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "data/token_file_index.h"

namespace attend::data {
namespace {

[[noreturn]] void fail_to_open(const std::filesystem::path& path) {
  throw DataError(path, fmt::format("cannot open the token cache: {}", std::strerror(errno)));
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

std::size_t StoredArray::block_bytes(std::size_t block) const {
  return static_cast<std::size_t>(
      std::min<uint64_t>(Chunks::kBytes, bytes() - block * Chunks::kBytes));
}

StoredIds::StoredIds(const std::filesystem::path& path, StoredArray array, int64_t vocabulary)
    : path_(path),
      array_(std::move(array)),
      vocabulary_(vocabulary),
      descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
      checked_(array_.checksums.size()) {
  if (descriptor_ < 0) fail_to_open(path_);
  if (::fstat(descriptor_, &opened_) == 0) return;
  ::close(descriptor_);
  fail_to_open(path_);
}

StoredIds::~StoredIds() {
  ::close(descriptor_);
}

void StoredIds::read(uint64_t position, std::span<text::TokenId> ids) const {
  if (ids.empty()) return;
  const uint64_t first = position * array_.element / Chunks::kBytes;
  const uint64_t last = ((position + ids.size()) * array_.element - 1) / Chunks::kBytes;
  for (uint64_t block = first; block <= last; ++block) check_block(block);
  if (array_.element == sizeof(uint16_t)) {
    read_as<uint16_t>(position, ids);
  } else {
    read_as<text::TokenId>(position, ids);
  }
}

template <class Id>
void StoredIds::read_as(uint64_t position, std::span<text::TokenId> ids) const {
  std::vector<Id> stored(ids.size());
  read_bytes(array_.begin + position * sizeof(Id), std::as_writable_bytes(std::span(stored)));
  check_unchanged();
  const auto known = [this](Id id) { return int64_t{id} >= 0 && int64_t{id} < vocabulary_; };
  if (!std::ranges::all_of(stored, known)) report_damage();
  std::ranges::copy(stored, ids.begin());
}

/// Compares a block with its checksum before its first use. Two threads may compare the same block.
void StoredIds::check_block(std::size_t block) const {
  if (checked_[block].load(std::memory_order_relaxed)) return;
  std::vector<std::byte> bytes(array_.block_bytes(block));
  read_bytes(array_.begin + block * Chunks::kBytes, bytes);
  if (checksum_of(bytes.data(), bytes.size()) != array_.checksums[block]) {
    check_unchanged();
    report_damage();
  }
  checked_[block].store(true, std::memory_order_relaxed);
}

void StoredIds::report_damage() const {
  throw DataError(path_,
                  "the token cache is damaged; delete the file and resume the run, which writes a "
                  "new one");
}

void StoredIds::read_bytes(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw DataError(path_, fmt::format("cannot read the token cache: {}", std::strerror(errno)));
    if (count == 0) {
      check_unchanged();
      report_damage();
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

void StoredIds::check_unchanged() const {
  struct stat now = {};
  if (::fstat(descriptor_, &now) == 0 && now.st_size == opened_.st_size &&
      same_time(now.st_mtim, opened_.st_mtim))
    return;
  throw DataError(path_,
                  "the token cache was overwritten while it was in use; delete the file and resume "
                  "the run, which writes a new one");
}

}  // namespace attend::data
