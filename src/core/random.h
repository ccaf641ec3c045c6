#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

/// A reproducible generator: xoshiro256** (Blackman & Vigna 2018), seeded with splitmix64. Unlike
/// the standard distributions, its numbers do not depend on the C++ library. The state can be saved
/// and restored.
class Random {
 public:
  using State = std::array<uint64_t, 4>;

  explicit Random(uint64_t seed);
  explicit Random(const State& state) : state_(state) {}

  /// 64 uniform bits.
  uint64_t bits();
  /// Draws a number uniformly from [0, 1), with 53 random bits.
  double uniform();
  /// Draws an integer uniformly from 0 .. bound-1, without bias. Requires: bound > 0.
  uint64_t below(uint64_t bound);

  /// Fisher-Yates shuffle.
  template <class Element>
  void shuffle(std::vector<Element>& elements) {
    for (std::size_t i = elements.size(); i > 1; --i)
      std::swap(elements[i - 1], elements[below(i)]);
  }

  [[nodiscard]] const State& state() const { return state_; }

 private:
  State state_;
};

/// Derives a seed from the run's seed for one named purpose ("shuffle", "dropout", ...) and one
/// index (an epoch, an update). Streams with different names or indices are independent, so adding
/// a consumer never changes another's numbers.
[[nodiscard]] uint64_t stream_seed(uint64_t seed, std::string_view name, uint64_t index = 0);

/// A generator seeded with stream_seed() of these arguments.
[[nodiscard]] inline Random stream(uint64_t seed, std::string_view name, uint64_t index = 0) {
  return Random(stream_seed(seed, name, index));
}

}  // namespace attend
