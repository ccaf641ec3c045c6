#include "core/checksum.h"

#include <zlib.h>

namespace attend {

uint64_t add_to_checksum(uint64_t checksum, const void* bytes, std::size_t count) {
  if (count == 0) return checksum;  // crc32_z() of a null pointer would restart
  return crc32_z(checksum, static_cast<const Bytef*>(bytes), count);
}

}  // namespace attend
