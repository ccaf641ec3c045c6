#include "core/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "core/number.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as in Linux

std::optional<int> parse_descriptor(const std::string& name) {
  const auto number = number_in<int>(name);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<int> output_descriptor(const fs::path& path) {
  if (path.empty() || path == "-") return STDOUT_FILENO;
  return own_descriptor(path);
}

struct Place {
  std::optional<int> descriptor;
  fs::path file;  // links resolved; set if there is no descriptor
  struct stat status = {};
  bool exists = false;

  explicit Place(const fs::path& path) : descriptor(output_descriptor(path)) {
    if (!descriptor) file = without_links(path);
    exists = (descriptor ? ::fstat(*descriptor, &status) : ::stat(path.c_str(), &status)) == 0;
  }
};

}  // namespace

// Follows links one by one. The system would follow a link in /proc to the open file itself, and
// opening that again loses the descriptor's file position and append mode.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path descriptors = fs::canonical("/proc/self/fd", error);
  if (error) return std::nullopt;
  fs::path place = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path folder =
        fs::canonical(place.has_parent_path() ? place.parent_path() : ".", error);
    if (error) return std::nullopt;
    if (folder == descriptors) return parse_descriptor(place.filename().string());
    const fs::path target = fs::read_symlink(place, error);
    if (error) return std::nullopt;
    place = folder / target;  // just `target` if it is absolute
  }
  return std::nullopt;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path place = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path target = fs::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / target;
  }
  const fs::path resolved = fs::weakly_canonical(place, error);
  return error ? path : resolved;
}

bool is_same_output(const fs::path& a, const fs::path& b) {
  const Place first(a);
  const Place second(b);
  if (first.descriptor && first.descriptor == second.descriptor) return true;
  if (!first.descriptor && !second.descriptor) return first.file == second.file;
  return first.exists && second.exists && first.status.st_dev == second.status.st_dev &&
         first.status.st_ino == second.status.st_ino && !S_ISCHR(first.status.st_mode);
}

}  // namespace attend
