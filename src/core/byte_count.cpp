#include "core/byte_count.h"

#include <fmt/format.h>

#include <iterator>

namespace attend {

std::string byte_count(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  constexpr double kRoundsUp = 999.95;  // to 1000.0
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  std::size_t unit = 0;
  do {
    bytes /= 1000.0;
    ++unit;
  } while (bytes >= kRoundsUp && unit + 1 < std::size(kUnits));
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

}  // namespace attend
