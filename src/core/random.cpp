#include "core/random.h"

#include <bit>

#include "core/splitmix.h"

namespace attend {

namespace {

// FNV-1a, 64 bits.
uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

}  // namespace

Random::Random(uint64_t seed) : state_{} {
  for (uint64_t i = 0; i < state_.size(); ++i) state_[i] = numbered_key(seed, i);
}

uint64_t Random::bits() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

uint64_t Random::below(uint64_t bound) {
  // Rejects draws below 2^64 mod bound, because accepting them would favour small remainders.
  const uint64_t uneven = (0 - bound) % bound;
  uint64_t draw = bits();
  while (draw < uneven) draw = bits();
  return draw % bound;
}

uint64_t stream_seed(uint64_t seed, std::string_view name, uint64_t index) {
  const uint64_t named = splitmix_output(numbered_key(seed, 0) ^ hash(name));
  return numbered_key(named, index);
}

}  // namespace attend
