#include "draw/page_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace attend::draw {
namespace {

constexpr double kUnitsPerWeight = 1e5;
constexpr double kLargest = 40'000.0;  // its multiple of 0.00001 fits in 32 bits

uint32_t units_of(float weight) {
  if (!(weight > 0.0F)) return 0;
  const double kept = std::min(static_cast<double>(weight), kLargest);
  return static_cast<uint32_t>(std::lround(kept * kUnitsPerWeight));
}

void append_leb128(std::string& bytes, uint32_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  bytes += static_cast<char>(value);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 0x3f] : '=';
  }
  return text;
}

}  // namespace

std::string pack_weights(const align::WeightTable& table) {
  std::string bytes;
  for (std::size_t t = 0; t < table.rows(); ++t) {
    for (std::size_t s = 0; s < table.columns(); ++s) append_leb128(bytes, units_of(table(t, s)));
  }
  return base64(bytes);
}

}  // namespace attend::draw
