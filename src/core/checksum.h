#pragma once
#include <cstddef>
#include <cstdint>

namespace attend {

/// Extends a CRC-32 (gzip's polynomial) by `count` bytes. Start with `checksum` = 0.
[[nodiscard]] uint64_t add_to_checksum(uint64_t checksum, const void* bytes, std::size_t count);

}  // namespace attend
