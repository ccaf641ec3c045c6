#pragma once
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>

#include "core/temporary_file.h"

namespace attend {

/// How a new file takes the place of an old one.
struct Replacement {
  /// Called with the new file, flushed to disk, while it still lies beside the old one; what it
  /// throws leaves the old one in its place.
  std::function<void(const std::filesystem::path&)> verify;
  /// Where the old file goes, in the same folder; empty: it is gone. Between the two renames there
  /// is only that one.
  std::filesystem::path keep_old_as;
};

/// A file being written beside the one that it will replace (a TemporaryFile), whose rights and,
/// where this process may do that, owner and group it takes over. Goes away unless commit() was
/// called.
/// Every step is a fault_point(): "open", "write", "flush", "verify", "keep", "rename", "flush
/// folder of".
class ReplacementFile {
 public:
  /// Throws DataError if the file beside `path` cannot be made or `path` is something else than a
  /// regular file.
  explicit ReplacementFile(const std::filesystem::path& path);
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }
  /// Throws DataError if something that went to the stream could not be written. commit() does as
  /// well: this is for who writes for hours.
  void check() const;
  /// Flushes to disk, renames, flushes the folder. Throws DataError if anything could not be
  /// written; the old file is in its place then.
  void commit(const Replacement& how = {});

 private:
  /// A file buffer whose writes can be made to fail.
  class Buffer : public std::filebuf {
   public:
    std::filesystem::path target;
    int error = 0;  ///< errno of the first write that failed

   protected:
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  };

  void flush(bool drop_from_cache);
  void put_in_place(const std::filesystem::path& keep_old_as);

  std::filesystem::path target_;
  struct stat replaced_ = {};  ///< of the old file; st_nlink is 0 where there is none
  std::optional<TemporaryFile> temporary_;
  Buffer buffer_;
  std::ostream stream_;
};

/// Removes a file that may be there. Throws DataError.
void remove_file(const std::filesystem::path& path);

}  // namespace attend
