#include "app/translate/unfinished_files.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <system_error>

#include "core/error.h"

namespace attend::app {
namespace {

using std::filesystem::file_type;
using std::filesystem::path;

[[noreturn]] void refuse_to_overwrite(const path& file) {
  throw DataError(file,
                  "is not from a translation to this output, which would overwrite it; move it "
                  "away, or choose another output");
}

path beside(path output, const char* ending) {
  return output += ending;
}

/// Returns false if there is no such file.
bool is_there(const path& file) {
  std::error_code ignored;
  const file_type type = std::filesystem::symlink_status(file, ignored).type();
  if (type == file_type::not_found) return false;
  if (type != file_type::regular) refuse_to_overwrite(file);
  return true;
}

/// A killed process may leave only the beginning of `start`.
void check_beginning(const path& file, std::string_view start) {
  if (!is_there(file)) return;
  std::string found(start.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(stream.gcount()));
  if (!start.starts_with(found)) refuse_to_overwrite(file);
}

}  // namespace

void check_unfinished_files(const path& output, std::string_view journal_start,
                            std::string_view shard_start) {
  const path journal = beside(output, ".journal");
  const path part = beside(output, ".part");
  check_beginning(journal, journal_start);
  if (!shard_start.empty()) check_beginning(beside(output, ".shard"), shard_start);
  // The journal has its head before the part has a line, and is removed after the part.
  if (is_there(part) && !is_there(journal) && std::filesystem::file_size(part) > 0)
    refuse_to_overwrite(part);
}

}  // namespace attend::app
