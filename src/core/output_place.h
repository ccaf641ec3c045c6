#pragma once
#include <filesystem>
#include <optional>

namespace attend {

/// The descriptor of this process that `path` refers to after following links: 1 for "/dev/stdout",
/// 7 for "/dev/fd/7" or "/proc/self/fd/7". Nothing for any other path.
[[nodiscard]] std::optional<int> own_descriptor(const std::filesystem::path& path);

/// The absolute path that `path` refers to after following all links. The file need not exist.
/// Returns `path` itself if the links cannot be followed (a loop).
[[nodiscard]] std::filesystem::path without_links(const std::filesystem::path& path);

/// True if `a` and `b` are the same output: the same file, whatever its names and links, the same
/// descriptor, or a descriptor of the same file. "-" and the empty path are standard output. Two
/// descriptors of one character device (a terminal) count as different.
[[nodiscard]] bool is_same_output(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace attend
