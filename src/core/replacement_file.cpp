#include "core/replacement_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"
#include "core/fault_point.h"

namespace attend {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw DataError(
      path, fmt::format("cannot write the file: {}",
                        error == 0 ? "write error (is the disk full?)" : std::strerror(error)));
}

// A link is written through, so that it stays a link.
std::filesystem::path resolve(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto resolved = std::filesystem::weakly_canonical(path, ignored);
  return resolved.empty() ? path : resolved;
}

void check_target(const std::filesystem::path& target) {
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    throw DataError(target, "cannot write the file: a folder has this name");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(target, "cannot write the file: something else than a file has this name");
  }
  const auto folder = target.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    throw DataError(target,
                    fmt::format("cannot write the file: there is no folder {}", folder.string()));
  }
}

// Returns errno, 0 if all went well. A file that is dropped from the cache will be read from the
// disk.
int flush_to_disk(const std::filesystem::path& path, int flags, bool drop_from_cache) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  if (drop_from_cache) ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::close(descriptor);
  return error;
}

int rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

void fail_if(const std::filesystem::path& path, int error) {
  if (error != 0) fail(path, error);
}

}  // namespace

std::streamsize ReplacementFile::Buffer::xsputn(const char* bytes, std::streamsize count) {
  errno = fault_point("write", target);
  const std::streamsize written = errno == 0 ? std::filebuf::xsputn(bytes, count) : 0;
  if (written != count && error == 0) error = errno;
  return written;
}

ReplacementFile::ReplacementFile(const std::filesystem::path& path)
    : target_(resolve(path)), stream_(&buffer_) {
  check_target(target_);
  temporary_ = target_;
  temporary_ += kTemporarySuffix;
  buffer_.target = target_;
  fail_if(path, fault_point("open", target_));
  errno = 0;
  if (buffer_.open(temporary_, std::ios::out | std::ios::binary | std::ios::trunc) == nullptr) {
    fail(path, errno);
  }
}

ReplacementFile::~ReplacementFile() {
  if (committed_) return;
  buffer_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void ReplacementFile::commit(const Replacement& how) {
  flush(static_cast<bool>(how.verify));
  if (how.verify) {
    fail_if(target_, fault_point("verify", target_));
    how.verify(temporary_);
  }
  put_in_place(how.keep_old_as);
  committed_ = true;
  // Some file systems cannot flush a folder; the content itself is safe by now.
  if (fault_point("flush folder of", target_) != 0) return;
  const auto folder = target_.parent_path();
  flush_to_disk(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, false);
}

void ReplacementFile::flush(bool drop_from_cache) {
  fail_if(target_, fault_point("flush", target_));
  errno = 0;
  const bool written = static_cast<bool>(stream_.flush());
  const bool closed = buffer_.close() != nullptr;
  if (!written || !closed) fail(target_, buffer_.error != 0 ? buffer_.error : errno);
  fail_if(target_, flush_to_disk(temporary_, O_WRONLY, drop_from_cache));
}

void ReplacementFile::put_in_place(const std::filesystem::path& keep_old_as) {
  const bool keep = !keep_old_as.empty() && std::filesystem::exists(target_);
  if (keep) {
    fail_if(target_, fault_point("keep", target_));
    fail_if(keep_old_as, rename_file(target_, keep_old_as));
  }
  int error = fault_point("rename", target_);
  if (error == 0) error = rename_file(temporary_, target_);
  if (error != 0 && keep) rename_file(keep_old_as, target_);
  fail_if(target_, error);
}

void remove_file(const std::filesystem::path& path) {
  std::error_code error(fault_point("remove", path), std::generic_category());
  if (!error) std::filesystem::remove(path, error);
  if (error) throw DataError(path, "cannot remove the file: " + error.message());
}

}  // namespace attend
