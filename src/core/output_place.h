#pragma once
#include <filesystem>
#include <optional>

namespace attend {

/// The descriptor of this process that `path` leads to, over whatever links: 1 for "/dev/stdout",
/// 7 for "/dev/fd/7" or "/proc/self/fd/7". Nothing for anything else.
[[nodiscard]] std::optional<int> own_descriptor(const std::filesystem::path& path);

/// The absolute path that `path` leads to over all links, whether there is a file or not; `path`
/// itself where that cannot be found out (a loop).
[[nodiscard]] std::filesystem::path without_links(const std::filesystem::path& path);

/// Whether what is written to `a` and `b` ends in the same place: the same file under whatever
/// names and links, the same descriptor, or a descriptor of that file. "-" and the empty path are
/// standard output. Devices behind two descriptors (a terminal) may well be one.
[[nodiscard]] bool is_same_output(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace attend
