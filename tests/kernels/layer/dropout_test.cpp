#include "kernels/layer/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/splitmix.h"
#include "kernels/cpu/random_words.h"

namespace attend::kernels {
namespace {

constexpr int64_t kSize = 1000;

/// The mask of one line with rows of kSize columns; the last row may have fewer.
std::vector<float> mask_of(int64_t count, uint64_t seed, double probability) {
  const int64_t rows = (count + kSize - 1) / kSize;
  std::vector<float> mask(static_cast<std::size_t>(rows * kSize));
  dropout(Dropout<float>{.rows = rows,
                         .size = kSize,
                         .y = mask.data(),
                         .rule = {seed, probability, {nullptr, 1, rows}}});
  mask.resize(static_cast<std::size_t>(count));
  return mask;
}

/// Correlation of two masks for probability 0.5, whose elements are 0 or 2.
double correlation(const float* a, const float* b, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>((a[i] - 1.0F) * (b[i] - 1.0F));
  }
  return sum / static_cast<double>(count);
}

// Expected numbers: pcg4d of (5, 1, 0x9abcdef0, 0x12345678) and of zeros, computed from the paper's
// listing in exact integers.
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

/// A mask [2 lines, 3 parts, 6 positions, 21 columns] for the positions from 3 on.
std::vector<float> mask_of_lines(const std::vector<uint64_t>& lines, double probability) {
  std::vector<float> mask(lines.size() * 3 * 6 * 21);
  dropout(Dropout<float>{.rows = static_cast<int64_t>(lines.size()) * 3 * 6,
                         .size = 21,
                         .y = mask.data(),
                         .rule = {77, probability, {lines.data(), 3, 6, 3}}});
  return mask;
}

TEST(Dropout, KeepsTheElementsThatItsWordsSelect) {
  const double probability = 0.3;
  const std::vector<uint64_t> lines{5, 1'000'000'000'000};
  const std::vector<float> mask = mask_of_lines(lines, probability);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t row = i / 21, position = 3 + row % 6, part = row / 6 % 3, line = row / 18;
    RandomWords block;
    random_words((part * 65536 + position / 4) << 32U | i % 21, numbered_key(77, lines[line]),
                 block);
    const bool kept = block.words[position % 4 * kRandomLanes] >= std::ldexp(probability, 32);
    ASSERT_FLOAT_EQ(mask[i], kept ? 1.0F / 0.7F : 0.0F) << i;
  }
}

TEST(Dropout, OfALineDoesNotDependOnOtherLines) {
  const std::vector<float> mask = mask_of_lines({5, 9}, 0.5);
  EXPECT_THAT(mask_of_lines({9}, 0.5),
              testing::ElementsAreArray(mask.begin() + 3 * 6 * 21, mask.end()));
  std::vector<float> longer(
      static_cast<std::size_t>(8 * 30));  // part 0, more positions and columns
  const uint64_t line = 9;
  dropout(Dropout<float>{
      .rows = 8, .size = 30, .y = longer.data(), .rule = {77, 0.5, {&line, 1, 8, 3}}});
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t i = 0; i < 21; ++i)
      ASSERT_EQ(longer[row * 30 + i], mask[(18 + row) * 21 + i]) << row << ' ' << i;
}

TEST(Dropout, OfDoublesKeepsTheSame) {
  const std::vector<float> mask = mask_of(1000, 3, 0.4);
  std::vector<double> x(1000, 2.0);
  dropout(Dropout<double>{1, kSize, x.data(), x.data(), {3, 0.4}});  // in place
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 2.0 * mask[i], 1e-6) << i;
}

/// (w + 1/2) / 2^32 for the word w of row `row` of [lines, 3 parts, 6 positions, .] with seed 77,
/// positions from 3 on.
double uniform_by_definition(const std::vector<uint64_t>& lines, uint64_t row, uint64_t column) {
  const uint64_t position = 3 + row % 6, part = row / 6 % 3;
  RandomWords block;
  random_words((part * 65536 + position / 4) << 32U | column, numbered_key(77, lines[row / 18]),
               block);
  return std::ldexp(block.words[position % 4 * kRandomLanes] + 0.5, -32);
}

// Draws more numbers than one parallel task does.
TEST(DrawUniform, IsOfTheWordsOfLinePositionAndColumn) {
  constexpr int64_t kLines = 60, kRows = kLines * 18, kColumns = 21;
  std::vector<uint64_t> lines(kLines);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = i * i + 5;
  std::vector<double> numbers(kRows * kColumns), chosen(numbers.size());
  std::vector<int64_t> columns(numbers.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<int64_t>(i * 2654435761U % 4294967296U);
  draw_uniform({.rows = kRows,
                .size = kColumns,
                .y = numbers.data(),
                .seed = 77,
                .of = {lines.data(), 3, 6, 3}});
  draw_uniform({.rows = kRows,
                .size = kColumns,
                .columns = columns.data(),
                .y = chosen.data(),
                .seed = 77,
                .of = {lines.data(), 3, 6, 3}});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers[i], uniform_by_definition(lines, i / kColumns, i % kColumns)) << i;
    ASSERT_EQ(chosen[i],
              uniform_by_definition(lines, i / kColumns, static_cast<uint64_t>(columns[i])))
        << i;
  }
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
  for (const int64_t lag : {1, 2, 3, 15, 16, 17, 64, 256, 1000, 1001, 2000, 3000, 4000, 4096}) {
    EXPECT_LT(std::abs(correlation(mask.data(), mask.data() + lag, kCount)), bound) << lag;
  }
  for (const uint64_t seed : {1001UL, 999UL, 1000UL + (1UL << 32U), 2000UL}) {
    const std::vector<float> other = mask_of(kCount, seed, 0.5);
    EXPECT_LT(std::abs(correlation(mask.data(), other.data(), kCount)), bound) << seed;
  }
}

}  // namespace
}  // namespace attend::kernels
