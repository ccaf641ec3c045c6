#pragma once
#include <sys/stat.h>
#include <ext/stdio_filebuf.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>

#include "core/temporary_file.h"

namespace attend {

/// How a new file replaces an old one.
struct Replacement {
  /// Called with the temporary file after it is flushed to disk and before it replaces the old
  /// file. If it throws, the old file stays.
  std::function<void(const std::filesystem::path&)> verify;
  /// New name of the old file, in the same folder; empty to drop the old file. Between the two
  /// renames, no file has the original name.
  std::filesystem::path keep_old_as;
};

/// A new version of a file, written to a TemporaryFile in the same folder. It takes over the
/// permissions of the old file and, where permitted, its owner and group. It is removed unless
/// commit() is called.
/// Every step is a fault_point(): "open", "write", "flush", "verify", "keep", "rename", "flush
/// folder of".
class ReplacementFile {
 public:
  /// Throws DataError if the temporary file cannot be created or `path` exists and is not a regular
  /// file.
  explicit ReplacementFile(const std::filesystem::path& path);
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }
  /// Throws DataError if a write to the stream failed. commit() checks too; call check() during
  /// long writes to fail early.
  void check() const;
  /// Flushes to disk, renames, and flushes the folder. Throws DataError if a step fails; the old
  /// file then stays in place.
  void commit(const Replacement& how = {});

 private:
  /// A buffer of an open file whose writes are fault points. It closes the descriptor.
  class Buffer : public __gnu_cxx::stdio_filebuf<char> {
   public:
    explicit Buffer(int descriptor) : stdio_filebuf(descriptor, std::ios::out | std::ios::binary) {}

    std::filesystem::path target;
    int error = 0;  ///< errno of the first write that failed

   protected:
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  };

  void flush(bool drop_from_cache);
  void put_in_place(const std::filesystem::path& keep_old_as);

  std::filesystem::path target_;
  struct stat replaced_ = {};  ///< of the old file; st_nlink is 0 if there is none
  std::optional<TemporaryFile> temporary_;
  std::optional<Buffer> buffer_;
  std::ostream stream_;
};

/// Removes a file if it exists. Throws DataError on failure.
void remove_file(const std::filesystem::path& path);

}  // namespace attend
