#pragma once
#include <string>

namespace attend {

/// Formats a size: "950 B", "8.4 kB", "14.2 GB".
[[nodiscard]] std::string byte_count(double bytes);

}  // namespace attend
