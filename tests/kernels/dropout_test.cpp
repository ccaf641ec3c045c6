#include "kernels/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/random_words.h"

namespace attend::kernels {
namespace {

std::vector<float> mask_of(int64_t count, uint64_t seed, double probability) {
  std::vector<float> mask(static_cast<std::size_t>(count));
  Dropout<float> work;
  work.count = count;
  work.y = mask.data();
  work.seed = seed;
  work.probability = probability;
  dropout(work);
  return mask;
}

/// Correlation of what two masks of probability 0.5 keep, which are 0 and 2.
double correlation(const float* a, const float* b, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>((a[i] - 1.0F) * (b[i] - 1.0F));
  }
  return sum / static_cast<double>(count);
}

// pcg4d of (5, 1, 0x9abcdef0, 0x12345678) and of zeros by the paper's listing in exact integers.
TEST(RandomWords, AreThoseOfThePaper) {
  RandomWords block;
  random_words(0x100000005U, 0x123456789abcdef0U, block);
  EXPECT_EQ(block.words[0], 0xd5382d74U);
  EXPECT_EQ(block.words[1 * kRandomLanes], 0x3951a037U);
  EXPECT_EQ(block.words[2 * kRandomLanes], 0xd3b9e2d0U);
  EXPECT_EQ(block.words[3 * kRandomLanes], 0x0cdef0f2U);
  random_words(0, 0, block);
  EXPECT_EQ(block.words[0], 0x0f02f829U);
  EXPECT_EQ(block.words[3 * kRandomLanes], 0xd32548eaU);
}

TEST(Dropout, KeepsWhatItsWordsSay) {
  const double probability = 0.3;
  const std::vector<float> mask = mask_of(200, 77, probability);
  for (int64_t i = 0; i < 200; ++i) {
    RandomWords block;
    random_words(static_cast<uint64_t>((i / 64) * 16 + i % 16), 77, block);
    const bool kept = block.words[(i % 64) / 16 * kRandomLanes] >= std::ldexp(probability, 32);
    EXPECT_FLOAT_EQ(mask[static_cast<std::size_t>(i)], kept ? 1.0F / 0.7F : 0.0F) << i;
  }
}

TEST(Dropout, OfDoublesKeepsTheSame) {
  const std::vector<float> mask = mask_of(1000, 3, 0.4);
  std::vector<double> x(1000, 2.0);
  Dropout<double> work{1000, x.data(), x.data(), 3, 0.4};  // in place
  dropout(work);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 2.0 * mask[i], 1e-6) << i;
}

TEST(Dropout, KeepsTheShare) {
  for (const double probability : {0.01, 0.1, 0.5, 0.9, 0.999999}) {
    const std::vector<float> mask = mask_of(1'000'000, 12, probability);
    double kept = 0.0;
    for (const float value : mask) kept += value > 0.0F ? 1.0 : 0.0;
    const double deviation = std::sqrt(1e6 * probability * (1.0 - probability));
    EXPECT_NEAR(kept, 1e6 * (1.0 - probability), 4.0 * deviation) << probability;
  }
}

TEST(Dropout, NeighboursAndOtherSeedsAreIndependent) {
  constexpr int64_t kCount = 1'000'000;
  const std::vector<float> mask = mask_of(kCount + 4096, 1000, 0.5);
  const double bound = 5.0 / std::sqrt(static_cast<double>(kCount));
  for (const int64_t lag : {1, 2, 3, 15, 16, 17, 32, 48, 63, 64, 65, 128, 256, 512, 1024, 4096}) {
    EXPECT_LT(std::abs(correlation(mask.data(), mask.data() + lag, kCount)), bound) << lag;
  }
  for (const uint64_t seed : {1001UL, 999UL, 1000UL + (1UL << 32U), 2000UL}) {
    const std::vector<float> other = mask_of(kCount, seed, 0.5);
    EXPECT_LT(std::abs(correlation(mask.data(), other.data(), kCount)), bound) << seed;
  }
}

}  // namespace
}  // namespace attend::kernels
