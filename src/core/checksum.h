#pragma once
#include <cstddef>
#include <cstdint>

namespace attend {

/// CRC-32 (that of gzip) of what `checksum` covers, 0 for nothing, and then `count` bytes more.
[[nodiscard]] uint64_t add_to_checksum(uint64_t checksum, const void* bytes, std::size_t count);

}  // namespace attend
