#include "core/replacement_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"
#include "core/fault_point.h"
#include "core/output_place.h"

namespace attend {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw DataError(
      path, fmt::format("cannot write the file: {}",
                        error == 0 ? "write error; the disk may be full" : std::strerror(error)));
}

void check_target(const std::filesystem::path& target) {
  std::error_code error;
  const auto status = std::filesystem::status(target, error);
  if (status.type() == std::filesystem::file_type::none) fail(target, error.value());
  if (std::filesystem::is_directory(status)) {
    throw DataError(target, "cannot write the file: a folder has this name");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(target, "cannot write the file: a device, pipe or socket has this name");
  }
  const auto folder = target.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw DataError(target,
                    fmt::format("cannot write the file: there is no folder {}", folder.string()));
  }
}

// Returns 0 or errno.
int flush_folder(const std::filesystem::path& folder) {
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error;
}

// If the old group cannot be kept, the new group gets only the permissions of other users.
void take_over_owner_and_rights(int descriptor, const struct stat& old) {
  constexpr mode_t kGroup = S_IRWXG;
  constexpr mode_t kRights = 07777;
  constexpr auto kSame = static_cast<uid_t>(-1);
  const bool group_kept = ::fchown(descriptor, kSame, old.st_gid) == 0;
  [[maybe_unused]] const int not_permitted = ::fchown(descriptor, old.st_uid, kSame);
  const mode_t everybody = (old.st_mode & S_IRWXO) << 3;
  const mode_t group = old.st_mode & (group_kept ? kGroup : everybody);
  ::fchmod(descriptor, (old.st_mode & kRights & ~kGroup) | group);
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
  const std::streamsize written = errno == 0 ? stdio_filebuf::xsputn(bytes, count) : 0;
  if (written != count && error == 0) error = errno;
  return written;
}

ReplacementFile::ReplacementFile(const std::filesystem::path& path)
    : target_(without_links(path)), stream_(nullptr) {  // keeps a link as a link
  check_target(target_);
  fail_if(path, fault_point("open", target_));
  if (::stat(target_.c_str(), &replaced_) != 0) replaced_.st_nlink = 0;
  try {
    // A replacement starts private, because the old file may be private.
    temporary_.emplace(target_, /*is_private=*/replaced_.st_nlink > 0);
  } catch (const std::system_error& error) {
    fail(path, error.code().value());
  }
  // Duplicates the descriptor: opening the name again would follow a link put there by others.
  const int descriptor = ::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0) fail(path, errno);
  buffer_.emplace(descriptor);
  buffer_->target = target_;
  stream_.rdbuf(&*buffer_);
}

ReplacementFile::~ReplacementFile() {
  buffer_->close();
}

void ReplacementFile::check() const {
  if (!stream_) fail(target_, buffer_->error);
}

void ReplacementFile::commit(const Replacement& how) {
  flush(static_cast<bool>(how.verify));
  if (how.verify) {
    fail_if(target_, fault_point("verify", target_));
    how.verify(temporary_->path());
  }
  if (replaced_.st_nlink > 0) take_over_owner_and_rights(temporary_->descriptor(), replaced_);
  put_in_place(how.keep_old_as);
  // Errors are ignored: some file systems cannot flush a folder, and the file itself is on disk.
  if (fault_point("flush folder of", target_) != 0) return;
  static_cast<void>(flush_folder(target_.parent_path()));
}

// `drop_from_cache`: makes verification read from the disk, not from the page cache.
void ReplacementFile::flush(bool drop_from_cache) {
  fail_if(target_, fault_point("flush", target_));
  errno = 0;
  const bool written = static_cast<bool>(stream_.flush());
  const bool closed = buffer_->close() != nullptr;
  if (!written || !closed) fail(target_, buffer_->error != 0 ? buffer_->error : errno);
  fail_if(target_, ::fsync(temporary_->descriptor()) == 0 ? 0 : errno);
  if (drop_from_cache) ::posix_fadvise(temporary_->descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

void ReplacementFile::put_in_place(const std::filesystem::path& keep_old_as) {
  std::error_code unknown;
  const bool keep = !keep_old_as.empty() && std::filesystem::exists(target_, unknown);
  if (keep) {
    fail_if(target_, fault_point("keep", target_));
    fail_if(keep_old_as, rename_file(target_, keep_old_as));
  }
  int error = fault_point("rename", target_);
  if (error == 0) error = temporary_->rename_to(target_);
  if (error != 0 && keep) rename_file(keep_old_as, target_);
  fail_if(target_, error);
}

void remove_file(const std::filesystem::path& path) {
  std::error_code error(fault_point("remove", path), std::generic_category());
  if (!error) std::filesystem::remove(path, error);
  if (error) throw DataError(path, "cannot remove the file: " + error.message());
}

}  // namespace attend
